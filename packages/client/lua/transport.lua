-- Ways to send one HTTP request, in the order in which they are tried (client protocol, section 15). Each returns
-- `status, body`; `nil, problem` if the server was not reached; or `false` if this host does not support it.
-- Everything sent is already encrypted, so a transport does not have to be trusted.

-- Those of generic hosts, LuaSocket and curl, are separate files that a loader for Luau does not include.
local host, sockets, curl = ...
local pcall, type, tostring, tonumber = pcall, type, tostring, tonumber
local match, find = string.match, string.find
local try = host.try

local TIMEOUT_SECONDS = 15
local MAX_QUERY_LENGTH = 4096

local function message(method, url, body)
  local headers = body and { ['Content-Type'] = 'text/plain' } or {}
  return { Url = url, Method = method, Headers = headers, Body = body }
end

local function readAnswer(answer)
  local status = tonumber(try(function() return answer.StatusCode end))
  local body = try(function() return answer.Body end)
  if not status or status < 100 or type(body) ~= 'string' then
    return nil, tostring(try(function() return answer.StatusMessage end) or 'no answer')
  end
  return status, body
end

local function byExecutor(method, url, body)
  if not host.request then return false end
  local ok, answer = pcall(host.request, message(method, url, body))
  if not ok then return nil, tostring(answer) end
  return readAnswer(answer)
end

local function byPlatform(method, url, body)
  local http = host.platform('HttpService')
  if not http then return false end
  local ok, answer = pcall(function() return http:RequestAsync(message(method, url, body)) end)
  if ok then return readAnswer(answer) end
  -- The platform raises this message where a game is not allowed to send requests at all.
  if find(tostring(answer), 'can only be executed', 1, true) or find(tostring(answer), 'not enabled', 1, true) then
    return false
  end
  return nil, tostring(answer)
end

-- The last resort on game platforms can only send GET requests, so the body travels in the URL.
local function byGameGet(_, url, body)
  if not try(function() return host.game.HttpGet end) then return false end
  if body and #body > MAX_QUERY_LENGTH then return false end
  local address = body and url .. '?b=' .. body or url
  local ok, answer = pcall(function() return host.game:HttpGet(address) end)
  if ok and type(answer) == 'string' then return 200, answer end
  local status = match(tostring(answer), '[^%d](%d%d%d)[^%d]')
  if not ok and status then return tonumber(status), '' end
  return nil, tostring(answer)
end

local function bySocket(...)
  if sockets then return sockets.send(...) end
end

local function byCurl(...)
  if curl then return curl(...) end
end

local WAYS = { byExecutor, byPlatform, bySocket, byCurl, byGameGet }

local transport = {}

-- The first transport available on this host is used. If it cannot reach the server, no other one is tried.
function transport.send(method, url, body, seconds)
  for i = 1, #WAYS do
    local status, answer = WAYS[i](method, url, body, seconds or TIMEOUT_SECONDS)
    if status or answer then return status, answer end
  end
  return false, 'this host has no way to send an HTTP request; LuaSocket or curl gives it one'
end

-- Maximum bytes of a request body.
function transport.maxBody()
  local onlyReads = host.game and not host.request and not host.platform('HttpService')
  return onlyReads and MAX_QUERY_LENGTH or 65536
end

-- Returns whether responses arrive with all bytes unchanged.
function transport.isRaw(url)
  if host.request or host.platform('HttpService') or not sockets then return false end
  return sockets.usable(url) ~= nil
end

return transport
