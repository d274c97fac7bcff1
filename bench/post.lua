-- SPDX-License-Identifier: Apache-2.0
-- Posts the file that BODY names, again and again over kept connections.
local file = assert(io.open(assert(os.getenv("BODY")), "rb"))
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = file:read("*a")
file:close()
