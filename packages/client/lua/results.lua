-- Key check results as returned by the library: { ok, code, reason, name, message, … }. `name` is the
-- result's name in other services' libraries.
--   results.readKey(given)             the key without surrounding white space; nil and a result if it can't be one
--   results.failed(reason, message)    a check without a decision: `unreachable`, `refused` or `forged`
--   results.refusal(status, text)      the same, for an unencrypted response
--   results.of(answer)                 the result of a signed answer
local host, environment, json, memory = ...
local type, tostring = type, tostring
local max, floor, ceil, huge = math.max, math.floor, math.ceil, math.huge
local results = {}

local NAMES = {
  valid = 'KEY_VALID',
  invalid_key = 'KEY_INCORRECT',
  key_expired = 'KEY_EXPIRED',
  blacklisted = 'KEY_BANNED',
  fingerprint_mismatch = 'KEY_HWID_LOCKED',
  fingerprint_missing = 'INVALID_EXECUTOR',
  fingerprint_ambiguous = 'INVALID_EXECUTOR',
}

-- Fields of `details` with the time when a denial ends.
local ENDS = { 'reset_available_at', 'blacklist_expires', 'starts_at', 'resets_at' }

-- Fields of a valid key's answer that the result contains under the same name.
local KEPT = { 'plan', 'features', 'status', 'note', 'executions', 'bound', 'tags', 'metadata', 'vars' }

function results.failed(reason, message, retry_in)
  return { ok = false, code = -1, reason = reason, name = 'CHECK_FAILED', message = message, retry_in = retry_in }
end

local function invalid(message)
  return { ok = false, code = 10, reason = 'invalid_key', name = 'KEY_INVALID', message = message }
end

function results.readKey(given)
  if type(given) ~= 'string' then
    return nil, invalid('A key is a string in quotes, but this is ' .. host.kind(given) .. '.')
  end
  local key = host.text(given)
  if not key then return nil, invalid('Enter a key.') end
  if memory.isKey(key) then return key end
  return nil, invalid('This key is too long, or contains characters that no license key has. Copy it again.')
end

local function retryIn(answer)
  if answer.retry_after then return answer.retry_after end
  for i = 1, #ENDS do
    local ends = answer.details and answer.details[ENDS[i]]
    if type(ends) == 'number' then return max(0, ceil((ends - answer.st) / 1000)) end
  end
end

local function denied(answer)
  return {
    ok = false,
    code = answer.code,
    reason = answer.reason,
    name = answer.typo and 'KEY_INVALID' or NAMES[answer.reason] or 'KEY_DENIED',
    message = environment.problems[answer.reason] or answer.message,
    retry_in = retryIn(answer),
    link = answer.link,
  }
end

function results.of(answer)
  if answer.success ~= true then return denied(answer) end
  local ends = answer.key_expires
  local result = { ok = true, code = 0, reason = 'valid', name = NAMES.valid, message = 'This key is valid.' }
  result.expires = ends and floor(ends / 1000)
  result.seconds_left = ends and max(0, floor((ends - answer.st) / 1000)) or huge
  for i = 1, #KEPT do result[KEPT[i]] = answer[KEPT[i]] end
  return result
end

-- Hosts that cannot read a status return an error response's text as if it were an answer.
function results.refusal(status, text)
  local decoded = json.decode(text)
  local problem = type(decoded) == 'table' and type(decoded.error) == 'table' and decoded.error or {}
  if status == 404 or problem.type == 'not_found' then
    return results.failed('refused', 'This project does not exist, or its author has not allowed key checks.')
  end
  if status == 429 or problem.type == 'rate_limited' then
    local wait = type(problem.retry_after) == 'number' and problem.retry_after or nil
    return results.failed('refused', 'Too many requests from your network. Try again later.', wait)
  end
  if status ~= 200 or problem.type then
    local why = problem.type or 'HTTP ' .. status
    return results.failed('refused', 'The server refused the check (' .. tostring(why) .. ').')
  end
  return results.failed('forged', 'The response is not from the server that issued this library. Check your connection.')
end

return results
