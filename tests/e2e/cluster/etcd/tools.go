// SPDX-License-Identifier: Apache-2.0

//go:build tools

package tools

import _ "go.etcd.io/etcd/server/v3/etcdmain"
