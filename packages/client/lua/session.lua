-- The live session of a run (client protocol §12): authenticates with the first frame, maintains counters and
-- epochs, resumes after a disconnect, and runs commands from the script's owner. Only opening a connection
-- blocks.
--   session(run, tell)      run: { exec, key, url }; tell: callbacks { heard(), kick(kick), set(vars), call(handler, ...) }
--     .handlers             functions by command name
--     .ready                whether commands can currently arrive
--     .key                  the payload key received with `ready`, in base64url
--     .lost                 when the connection was lost; nil while connected
--     .call(message)        sends a server function call; returns a table whose `answer` is set later, or by the caller
--                           when it gives up; nil if no call can be made now
--     .report(reports)      sends error reports; false if the server does not accept them now
--     .pump()               does all pending work
--     .pause(seconds)       waits for something to do, at most that long
--     .close()              ends the session permanently
local host, websocket, hash, cipher, base64, json, isUtf8 = ...
local byte, sub, match, gsub = string.byte, string.sub, string.match, string.gsub
local format, min = string.format, math.min
local pcall, type, tostring = pcall, type, tostring

-- Seconds before the next connection attempt.
local PAUSES = { 1, 2, 4, 8, 16, 30 }
local REMEMBERED, ANSWERS_KEPT = 64, 16
local PATIENCE_SECONDS = 10
-- This is slightly below the server's limit, so that a flood of commands is slowed down here rather than cut
-- off by the server.
local FRAMES_AT_ONCE, FRAMES_A_SECOND = 36, 18
local MAX_RESPONSE_BYTES, MAX_CALLS = 65536, 8
local MAX_REASON_LENGTH = 527
local LOST = { problem = 'the connection was lost during the call' }

local function refusal(reason)
  reason = sub(reason, 1, MAX_REASON_LENGTH)
  if not isUtf8(reason) then reason = gsub(reason, '[\128-\255]', '?') end
  return '"ok":false,"reason":' .. json.encode(reason)
end

return function(run, tell)
  local session = { handlers = {}, lost = host.now() }
  local epoch, failures, due, quiet = 0, 0, 0, 0
  local connection, busy, closed, sending, receiving, sent, received
  local id, latest, answers, order, unsent = nil, nil, {}, {}, {}
  local ping = 25
  local frames, counted = FRAMES_AT_ONCE, 0
  -- Unanswered calls in the order they were made, the number of all calls so far, and whether the server
  -- accepts calls.
  local calls, called, answersCalls = {}, 0, false
  local takesErrors = false

  local function drop(code)
    if connection then connection.close(code) end
    connection, session.ready = nil, false
    session.lost = session.lost or host.now()
    failures = min(failures + 1, #PAUSES)
    due = host.now() + PAUSES[failures] * (0.8 + byte(sending) / 640)
  end

  local function seal(text)
    sent = sent + 1
    return base64.encode(cipher.seal(sending, sent, 'lp1 ws c' .. run.exec, text))
  end

  local function transmit(text)
    frames = frames - 1
    if connection and not connection.send(seal(text)) then drop() end
  end

  local function transmitCall(call)
    transmit(json.encode({ t = 'call', id = call.id, epoch = call.epoch, a = call.message }))
  end

  local function dropAnswered()
    local open = {}
    for i = 1, #calls do
      if not calls[i].answer then open[#open + 1] = calls[i] end
    end
    calls = open
  end

  -- Resends calls whose answer may have been lost. The server never runs a call twice.
  local function resumeCalls()
    dropAnswered()
    for i = 1, #calls do
      if answersCalls then transmitCall(calls[i]) else calls[i].answer = LOST end
    end
  end

  local function connect()
    epoch = epoch + 1
    local number = format('%d', epoch)
    local keys = hash.expand(run.key, 'lp1 ws ' .. number, 64)
    sending, receiving, sent, received = sub(keys, 1, 32), sub(keys, 33), 0, 0
    local opened = websocket.open(run.url)
    if not opened then return drop() end
    if closed then return opened.close(1000) end
    connection, quiet = opened, host.now() + PATIENCE_SECONDS
    opened.arrived = session.pump
    local auth = seal(json.encode({ t = 'auth', resume = id, last = latest }))
    if not opened.send('lp1.' .. run.exec .. '.' .. number .. '.' .. auth) then drop() end
  end

  -- Keeps the latest answers to commands, to resend them if the server did not receive them.
  local function remember(command, answer)
    if answers[command] == nil then
      order[#order + 1] = command
      local old = order[#order - ANSWERS_KEPT]
      if old then answers[old] = true end
      if #order > REMEMBERED then answers[table.remove(order, 1)] = nil end
    end
    answers[command] = answer
  end

  local function transmitAnswer(text)
    if session.ready then transmit(text) else unsent[#unsent + 1] = text end
  end

  -- Returns a function that answers one command. Its answer is discarded after another session has begun.
  local function replier(command)
    local mine = answers
    return function(text)
      if mine ~= answers then return end
      text = '{"t":"res","id":"' .. command .. '",' .. text .. '}'
      remember(command, text)
      transmitAnswer(text)
    end
  end

  local function perform(reply, handler, value)
    if not handler then return reply(refusal('function doesnt exist')) end
    local ok, result = tell.call(handler, value)
    if not ok then return reply(refusal('function errored, message: ' .. tostring(result))) end
    if result == nil then return reply('"ok":true') end
    local text = type(result) == 'table' and json.encode(result)
    if not text or #text > MAX_RESPONSE_BYTES or not isUtf8(text) then return reply(refusal('invalid return data')) end
    reply('"ok":true,"data":' .. text)
  end

  local function obey(frame)
    local command = frame.id
    if type(command) ~= 'string' or not match(command, '^%d+$') then return end
    local given = answers[command]
    transmit('{"t":"ack","id":"' .. command .. '"}')
    if given == nil then
      latest = command
      remember(command, true)
      -- On hosts with threads, each command runs in its own thread, so that a waiting command does not
      -- block others.
      local start = host.spawn or pcall
      start(perform, replier(command), session.handlers[frame.key], frame.data)
    elseif given ~= true then
      transmit(given)
    end
  end

  local function begin(frame)
    if frame.sid ~= id then id, latest, answers, order, unsent = frame.sid, nil, {}, {}, {} end
    session.ready, session.lost, session.key, failures = true, nil, frame.pk, 0
    ping = frame.ping / 1000
    local texts = unsent
    unsent = {}
    for i = 1, #texts do transmit(texts[i]) end
    answersCalls, takesErrors = frame.calls == true, frame.errors == true
    resumeCalls()
  end

  local function settle(frame)
    for i = 1, #calls do
      if calls[i].id == frame.id then calls[i].answer = frame end
    end
  end

  local FRAMES = {
    ready = begin,
    cmd = obey,
    answer = settle,
    ping = function(frame) transmit(json.encode({ t = 'pong', n = frame.n })) end,
    set = tell.set,
    kick = tell.kick,
  }

  -- Any text other than the server's next frame was tampered with in transit, and ends the connection.
  local function accept(text)
    received = received + 1
    local box = base64.decode(text)
    local opened = box and cipher.open(receiving, received, 'lp1 ws s' .. run.exec, box)
    local frame = opened and json.decode(opened)
    if type(frame) ~= 'table' then return drop(4400) end
    tell.heard()
    quiet = host.now() + 2.5 * ping
    if FRAMES[frame.t] then FRAMES[frame.t](frame) end
  end

  local function earn()
    local now = host.now()
    frames = min(FRAMES_AT_ONCE, frames + (now - counted) * FRAMES_A_SECOND)
    counted = now
    return now
  end

  local function listen()
    local now = earn()
    while connection and frames >= 3 do
      local text = connection.receive()
      if text then accept(text) elseif text == false then drop() else break end
    end
    if connection and now > quiet then drop(4408) end
  end

  -- Without threads, a handler that makes a call while a frame is processed would wait for itself.
  function session.call(message)
    if busy and not (host.spawn and host.wait) or not (session.ready and answersCalls) then return nil end
    dropAnswered()
    local now = earn()
    if frames < 3 or #calls >= MAX_CALLS then return nil end
    called = called + 1
    local call = { id = format('%d', called), epoch = epoch, message = message }
    calls[#calls + 1] = call
    -- Expects an answer soon, so that a dead connection is noticed before pings time out.
    quiet = min(quiet, now + PATIENCE_SECONDS)
    transmitCall(call)
    return call
  end

  function session.report(reports)
    earn()
    if not (session.ready and takesErrors) or frames < 3 then return false end
    transmit(json.encode({ t = 'error', e = reports }))
    return true
  end

  function session.pump()
    if busy or closed then return end
    busy = true
    if not connection and host.now() >= due then connect() end
    if connection then listen() end
    busy = false
  end

  function session.pause(seconds)
    if not connection then return host.pause(seconds) end
    if frames < 3 then return host.pause(min(seconds, 0.1)) end
    connection.wait(seconds)
  end

  function session.close()
    closed = true
    session.ready = false
    if connection then connection.close(1000) end
    connection = nil
  end

  return session
end
