-- One WebSocket to the server, by the executor or by websocket-socket.lua, which a loader for Luau does without.
--   websocket.usable(url)     whether this host can open one to the server of this address
--   websocket.open(url)       a connection, or nil
--     .send(text)             false when it is lost
--     .receive()              the next text; nil when none is there yet; false when it is lost
--     .wait(seconds)          until something may have arrived, at most so long
--     .close(code)
--     .arrived                to be set: called when something arrived, on hosts that can tell
local host, sockets = ...
local pcall = pcall

local function byExecutor(url)
  local ok, socket = pcall(host.connect, url)
  if not ok or not socket then return nil end
  local texts, first, last, lost = {}, 1, 0, false
  local connection = {}

  local function tell()
    if connection.arrived then connection.arrived() end
  end

  socket.OnMessage:Connect(function(text)
    last = last + 1
    texts[last] = text
    tell()
  end)
  socket.OnClose:Connect(function()
    lost = true
    tell()
  end)

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
  return connection
end

local websocket = {}

function websocket.usable(url)
  return host.connect ~= nil or sockets ~= nil and sockets.usable(url)
end

function websocket.open(url)
  return (host.connect and byExecutor or sockets.open)(url)
end

return websocket
