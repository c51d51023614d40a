-- Sends requests with the `curl` program, a last resort on generic hosts (client protocol §15). See
-- transport.lua for the results. Neither the key nor the body appears in the process list.
local host = ...
local tonumber = tonumber
local match, gsub, find, concat = string.match, string.gsub, string.find, table.concat
local try = host.try

-- Quotes an argument of a command line; returns nothing if it cannot be quoted safely.
local function quote(word, windows)
  if find(word, '[%z\1-\31]') then return nil end
  if not windows then return "'" .. gsub(word, "'", "'\\''") .. "'" end
  if find(word, '["%%]') then return nil end
  return '"' .. word .. '"'
end

-- Uses a file rather than an argument, because anyone can read arguments in the process list.
local function bodyFile(body, windows)
  local path = try(host.os.tmpname)
  if not path then return nil end
  if windows and match(path, '^\\') then path = (host.variable('TEMP') or '.') .. path end
  if host.write(path, body) then return path end
  try(host.os.remove, path)
end

local function curlCommand(url, path, seconds)
  local windows = host.system() == 'windows'
  local words = { 'curl -s --max-time ' .. seconds .. ' -w "\\n%{http_code}"' }
  if path then
    local file = quote('@' .. path, windows)
    if not file then return nil end
    words[#words + 1] = '-H "Content-Type: text/plain" -H "Expect:" --data-binary ' .. file
  end
  local address = quote(url, windows)
  if not address then return nil end
  words[#words + 1] = address
  words[#words + 1] = windows and '2>nul' or '2>/dev/null'
  return concat(words, ' ')
end

return function(_, url, body, seconds)
  if not host.io.popen then return false end
  local windows = host.system() == 'windows'
  local path = body and bodyFile(body, windows)
  if body and not path then return false end
  local command = curlCommand(url, path, seconds)
  local output = command and host.run(command)
  if path then try(host.os.remove, path) end
  local answer, status = match(output or '', '^(.*)\n(%d%d%d)%s*$')
  if not answer then return false end
  if status == '000' then return nil, 'curl received no response' end
  return tonumber(status), answer
end
