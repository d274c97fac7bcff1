// SPDX-License-Identifier: Apache-2.0

//go:build tools

package tools

import _ "github.com/coredns/coredns/coremain"
import _ "github.com/coredns/coredns/core/plugin"
