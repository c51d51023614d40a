-- A WebSocket to the server, opened by the executor or by websocket-socket.lua, which loaders for Luau omit.
--   websocket.usable(url)     whether this host can open a WebSocket to this URL
--   websocket.open(url)       a connection, or nil
--     .send(text)             false if the connection is lost
--     .receive()              the next text; nil if none is available yet; false if the connection is lost
--     .wait(seconds)          waits until something may have arrived, at most that long
--     .close(code)
--     .arrived                can be set to a function, which is called when something arrives, if the host has events
local host, sockets = ...
local pcall, type = pcall, type

local function byExecutor(url)
  local ok, socket = pcall(host.connect, url)
  if not ok or not socket then return nil end
  local texts, first, last, lost = {}, 1, 0, false
  local connection = {}

  local function tell()
    if connection.arrived then connection.arrived() end
  end

  -- An empty text is never a valid frame.
  local function listen()
    socket.OnMessage:Connect(function(text)
      last = last + 1
      texts[last] = type(text) == 'string' and text or ''
      tell()
    end)
    socket.OnClose:Connect(function()
      lost = true
      tell()
    end)
  end

  function connection.send(text)
    return not lost and (pcall(function() socket:Send(text) end))
  end

  function connection.receive()
    if first > last then
      if lost then return false end
      return nil
    end
    local text = texts[first]
    texts[first] = nil
    first = first + 1
    return text
  end

  function connection.close()
    lost = true
    pcall(function() socket:Close() end)
  end

  connection.wait = host.pause
  if pcall(listen) then return connection end
  connection.close()
end

local websocket = {}

function websocket.usable(url)
  return host.connect ~= nil or sockets ~= nil and sockets.usable(url)
end

function websocket.open(url)
  return (host.connect and byExecutor or sockets.open)(url)
end

return websocket
