-- Messages in the key window that depend on a result.
--   times.valid(words, result)    a key is valid, and for how long
--   times.retry(words, seconds)   when to try again
--   times.reason(words, result)   why a key was not accepted
local floor, ceil, format, gmatch, gsub = math.floor, math.ceil, string.format, string.gmatch, string.gsub
local times = {}

-- Lengths in seconds of the units that `words.units` names. Their abbreviations avoid plurals, whose rules
-- depend on the language.
local LENGTHS = { 86400, 3600, 60, 1 }

local function fill(text, value)
  return (gsub(text, '{%w+}', function() return value end))
end

local function span(words, seconds)
  local i = 0
  for unit in gmatch(words.units, '%S+') do
    i = i + 1
    local count = floor(seconds / LENGTHS[i])
    if count > 0 or i == #LENGTHS then return format('%d ', count) .. unit end
  end
end

function times.valid(words, result)
  local seconds = result.seconds_left
  -- A key in its grace period has no time left, but is still valid.
  if not seconds or seconds <= 0 or seconds == math.huge then return words.window_valid end
  return words.window_valid .. ' \194\183 ' .. fill(words.in_span, span(words, seconds))
end

-- The last hour is shown as a countdown.
function times.retry(words, seconds)
  if seconds <= 0 then return words.window_retry_now end
  local left = ceil(seconds)
  local text = left < 3600 and format('%d:%02d', floor(left / 60), left % 60) or span(words, left)
  return fill(words.window_retry, text)
end

-- The server's messages for loaders mention a variable that users of the window don't see.
function times.reason(words, result)
  if result.name == 'KEY_INVALID' then return words.window_typo end
  if result.reason == 'refused' and result.retry_in then return words.window_rate_limited end
  return words['window_' .. result.reason] or result.message
end

return times
