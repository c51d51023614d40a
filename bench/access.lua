-- Reads or edits users by their keys, for wrk: `wrk -s access.lua <url> -- <secret> <GET or POST> <users>`; prints how many
-- requests were answered and in how many microseconds. Anything but a 200 is a broken measurement.
local PREPARED = 20000
local requests, nth = {}, 0

function init(args)
  local isEdit = args[2] == 'POST'
  wrk.headers.token = args[1]
  if isEdit then wrk.headers['content-type'] = 'application/json' end
  math.randomseed(os.time())
  for i = 1, PREPARED do
    local path = '/users/' .. string.format('%032d', math.random(1, tonumber(args[3])))
    requests[i] = isEdit and wrk.format('POST', path .. '/edit', nil, '{"note":"note ' .. i .. '"}')
      or wrk.format('GET', path)
  end
end

function request()
  nth = nth % PREPARED + 1
  return requests[nth]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write('\n', failed == 0 and summary.requests .. ' ' .. summary.duration or 'failed: ' .. failed, '\n')
end
