-- wrk script that reads users by key: `wrk -s users.lua <url> -- <API key> <users>`. Prints requests per
-- second. Any status other than 200 invalidates the result.
local PREPARED = 50000
local requests, nth = {}, 0

function init(args)
  wrk.headers.token = args[1]
  math.randomseed(os.time())
  for i = 1, PREPARED do
    local key = string.format('%032d', math.random(1, tonumber(args[2])))
    requests[i] = wrk.format('GET', '/users/' .. key)
  end
end

function request()
  nth = nth % PREPARED + 1
  return requests[nth]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write('\n', failed == 0 and summary.requests / summary.duration * 1e6 or 'failed: ' .. failed, '\n')
end
