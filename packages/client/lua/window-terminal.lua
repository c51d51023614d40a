-- Prompts for a key on the terminal, on hosts without a screen.
local tools, times = ...
local error = error
local MAX_TRIES = 5

return function(settings, ward, known, result)
  local words, io = settings.words, tools.host.io
  local function say(text)
    io.write(text, '\n')
  end

  local function deny(denied)
    say(times.reason(words, denied))
    if denied.retry_in then say(times.retry(words, denied.retry_in)) end
    if denied.link then say(denied.link.text .. ': ' .. denied.link.url) end
  end

  local function readKey()
    io.write(words.own_key, ': ')
    local line = io.read()
    if not line then error('scriptward: no key was entered', 0) end
    return tools.host.text(line)
  end

  local function getKey()
    local url, problem = nil, words.window_empty
    if settings.has.get then url, problem = ward.get_key() end
    say(url and words.window_get .. ': ' .. url or problem)
  end

  say(settings.title)
  if settings.buy then say(words.window_buy .. ': ' .. settings.buy) end
  if known and result then deny(result) end
  if settings.has.get then say(words.window_blank) end
  for _ = 1, MAX_TRIES do
    local key = readKey()
    local answer = key and ward.check(key)
    if answer and answer.ok then
      ward.remember(key)
      say(times.valid(words, answer))
      return tools.accept(answer, key)
    end
    if answer then deny(answer) else getKey() end
  end
  error('scriptward: ' .. words.window_enough, 0)
end
