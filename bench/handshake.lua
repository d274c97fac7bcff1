-- SPDX-License-Identifier: Apache-2.0
-- As post.lua, over a new connection each time.
dofile(assert(os.getenv("POST")))
wrk.headers["Connection"] = "close"
