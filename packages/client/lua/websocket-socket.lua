-- WebSocket (RFC 6455) on LuaSocket and LuaSec, with the interface of websocket.lua. It carries only
-- encrypted text, so it omits the RFC's defenses against hostile pages and caches: random masks, and checking
-- the server's accept header.
local host, sockets = ...
local byte, char, sub, match, find, floor = string.byte, string.char, string.sub, string.match, string.find, math.floor
local pcall, tonumber = pcall, tonumber
local try = host.try

local TIMEOUT_SECONDS = 10
-- Maximum characters of a frame: 128 KiB as base64url.
local MAX_FRAME_BYTES = 174763
local TEXT, CLOSE, PING, PONG = 1, 8, 9, 10

-- The header of a client's frame ends with a mask. A mask of zeros leaves the text unchanged.
local function framed(kind, text)
  local size = #text
  local head = size < 126 and char(128 + size) or size < 65536 and char(254, floor(size / 256), size % 256)
    or char(255, 0, 0, 0, 0, 0, floor(size / 65536), floor(size / 256) % 256, size % 256)
  return char(128 + kind) .. head .. '\0\0\0\0' .. text
end

-- Returns the positions where the first frame's content starts and ends; nothing if more bytes are needed.
local function bounds(text)
  local kind, size, a, b, c, d, e, f, g, h = byte(text, 1, 10)
  local head = 2
  if (size or 0) > 127 then return kind, head, math.huge end
  if size == 126 then
    head, size = 4, b and a * 256 + b
  elseif size == 127 then
    head, size = 10, h and (a + b + c + d + e > 0 and MAX_FRAME_BYTES + 1 or f * 65536 + g * 256 + h)
  end
  if size then return kind, head, head + size end
end

local function secure(socket, name)
  local files = sockets.certificates()
  local ssl = host.library('ssl')
  local wrapped = ssl.wrap(socket, {
    mode = 'client',
    protocol = 'any',
    options = 'all',
    verify = files and 'peer' or 'none',
    cafile = files,
  })
  if not wrapped then return nil end
  wrapped:settimeout(TIMEOUT_SECONDS)
  try(wrapped.sni, wrapped, name)
  return wrapped:dohandshake() and wrapped
end

local function dial(url)
  local scheme, address, path = match(url, '^(wss?)://([^/]+)(.*)$')
  local name, port = match(address, '^%[?(.-)%]?:(%d+)$')
  name, port = name or match(address, '^%[?(.-)%]?$'), tonumber(port) or (scheme == 'wss' and 443 or 80)
  local socket = host.library('socket').tcp()
  socket:settimeout(TIMEOUT_SECONDS)
  if not socket:connect(name, port) then return nil end
  if scheme == 'wss' then socket = secure(socket, name) end
  if not socket then return nil end
  socket:send('GET ' .. path .. ' HTTP/1.1\r\nHost: ' .. address .. '\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    .. 'Sec-WebSocket-Key: c2NyaXB0d2FyZHNjcmlwdA==\r\nSec-WebSocket-Version: 13\r\n\r\n')
  local line = socket:receive()
  local upgraded = match(line or '', '^HTTP/1%.1 101')
  repeat
    line = socket:receive()
  until not line or line == ''
  if line and upgraded then return socket end
  socket:close()
end

local function open(url)
  local ok, socket = pcall(dial, url)
  if not ok or not socket then return nil end
  local buffer, message = '', ''
  local connection = {}

  local function write(kind, text)
    if not socket then return false end
    local bytes, from = framed(kind, text), 1
    socket:settimeout(TIMEOUT_SECONDS)
    while from <= #bytes do
      local sent, problem, partly = socket:send(bytes, from)
      if not sent and problem ~= 'wantwrite' and problem ~= 'wantread' then return false end
      from = (sent or partly or from - 1) + 1
    end
    return true
  end

  -- Reads available bytes without waiting. Returns false if there are none, and closes the socket if none will
  -- follow.
  local function fill()
    socket:settimeout(0)
    local all, problem, part = socket:receive(16384)
    local text = all or part or ''
    buffer = buffer .. text
    if text ~= '' then return true end
    if problem ~= 'timeout' and problem ~= 'wantread' and problem ~= 'wantwrite' then connection.close() end
    return false
  end

  -- Returns the next frame. A frame that is too large or masked like a client's ends the connection.
  local function frame()
    repeat
      local kind, head, stop = bounds(buffer)
      if kind and stop > MAX_FRAME_BYTES + 10 then return connection.close() end
      if kind and stop <= #buffer then
        local text = sub(buffer, head + 1, stop)
        buffer = sub(buffer, stop + 1)
        return kind, text
      end
    until not socket or not fill()
  end

  function connection.send(text)
    return write(TEXT, text)
  end

  function connection.receive()
    while socket do
      local kind, text = frame()
      if not kind then break end
      local opcode = kind % 16
      if opcode == PING then
        write(PONG, text)
      elseif opcode == CLOSE then
        connection.close()
      elseif opcode < CLOSE then
        message = message .. text
        if #message > MAX_FRAME_BYTES then connection.close() end
        if kind >= 128 then
          text, message = message, ''
          return text
        end
      end
    end
    if not socket then return false end
  end

  function connection.wait(seconds)
    if not socket then return host.pause(seconds) end
    host.library('socket').select({ socket }, nil, seconds)
  end

  function connection.close(code)
    if not socket then return end
    if code then pcall(write, CLOSE, char(floor(code / 256), code % 256)) end
    pcall(socket.close, socket)
    socket = nil
  end

  return connection
end

local function usable(url)
  return host.library('socket') ~= nil and (not find(url, '^https') or host.library('ssl') ~= nil)
end

return { usable = usable, open = open }
