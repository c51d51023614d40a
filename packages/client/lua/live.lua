-- Runs alongside a script (client protocol §11 to §13): heartbeats, the live session, and ending the run,
-- whether by the server or by the script. Also creates the `ward` table, through which the script controls
-- the run.
--   live(run)             run: { grant, beat, ws, lease, send, room, url, key }: three keys, send(path, body, seconds),
--                         the bytes of JSON that fit into a heartbeat, the URL of the session or nil, and the user's
--                         key or nil
--     .ward               the table that the script sees
--     .await()            the payload's key, which arrives over the session; or nil and a message for the user
--     .fetch(lock, size)  the key stream for a locked part of the script; nil if nothing is locked
--     .errors             reports errors of the script; see errors.lua
--     .start()            lets the host's own threads or hooks keep the run alive from now on, if it has any
--     .last               on LuaJIT, receives a `finish` function when the run is dropped, for the loader to call
-- The run lasts as long as something references this result or `ward`.
local host, heartbeat, session, vault, view, queue, outgoing, asks, serverCode, errors, probe, base64 = ...
local error, pcall, type, tostring, setmetatable = error, pcall, type, tostring, setmetatable
local tonumber, select = tonumber, select
local max, min, floor = math.max, math.min, math.floor
local try = host.try
local hasThreads = host.spawn and host.wait

-- Seconds until an unanswered heartbeat is resent.
local RETRIES = { 5, 10, 20 }
local DETACHED_SECONDS, FAREWELL_SECONDS = 60, 3
-- Maximum attempts to get a key with heartbeats, the seconds between them, and the longest wait for another
-- heartbeat.
local ASKS, ASK_SECONDS, PATIENCE_SECONDS = 3, 1, 60
local ANSWER_SECONDS = 30
local UNANSWERED = { problem = 'the server did not respond' }
-- Limits per heartbeat.
local MAX_MESSAGES, MAX_ASKS = 10, 8
-- Threads check for work at this interval. On hosts without threads, a hook checks after this many
-- instructions.
local LOOK_SECONDS, HOOK_INSTRUCTIONS = 1, 1e6
local LOST = { code = 52, reason = 'heartbeat_lost', message = 'The server could not be reached for too long.' }
local SEVERED = { code = 50, reason = 'session_lost', message = 'The connection required by this script was lost.' }

-- The grant contains the messages if the language is not English.
local function worded(kick, messages)
  local message = messages and messages[kick.reason]
  return message and { code = kick.code, reason = kick.reason, message = message } or kick
end

-- Runs the call once nothing references the result, or at the latest when the host exits. Never runs it on
-- Luau.
local function whenDropped(call)
  local guard = try(function() return newproxy(true) end)
  if guard == nil then return setmetatable({}, { __gc = call }) end
  getmetatable(guard).__gc = call
  return guard
end

return function(run)
  local grant, tell = run.grant, {}
  local faults = errors(run, tell)
  local shown = view(grant, faults.call)
  local ward = shown.ward
  faults.ward = ward
  local beats = grant.beat
  local lost, severed = worded(LOST, grant.kicks), worded(SEVERED, grant.kicks)
  local pulse = heartbeat(grant.exec, run.beat, run.send)
  local started = host.now()
  local live, link = { ward = ward, errors = faults }, nil
  local heard, tries, beating, over, stopped = started, 0, false, false, nil
  local hook, kept
  -- Messages from the script. The first one starts heartbeats in a run that had none.
  local waiting, speaks, delivering = queue(run.room, MAX_MESSAGES), false, false
  -- The host's functions, until they have been reported. They are sent with a heartbeat even if a session is
  -- open or the run has no regular heartbeats; hosts without threads then send them at the end of the run.
  local offered = probe(grant.probe)
  speaks = offered and hasThreads
  local due = (beats.on or speaks) and started + beats.first / 1000
  local add = outgoing(waiting)
  -- Server function calls. Calls sent with a heartbeat wait for its answer. A failed heartbeat is retried at
  -- `retryAt`.
  local questions, asked, retryAt = queue(run.room, MAX_ASKS), {}, started
  local prepare = asks(grant.calls)
  -- Time when the key of another lock can be requested, and whether the script is waiting for the server.
  -- During that time, a hook must not do any work.
  local openAt, fetching = started, false
  local locked = grant.locks and vault(grant.locks, run.lease, grant.exec)

  local function words()
    if grant.flags.silent then return 'scriptward: ' .. tostring(stopped.reason) end
    return 'scriptward: ' .. tostring(stopped.message) .. ' (' .. tostring(stopped.reason) .. ')'
  end

  local function stop(kick)
    if stopped or over then return end
    stopped = type(kick) == 'table' and kick or lost
    if link then link.close() end
    if locked then locked.drop() end
    local ok, handled = pcall(ward.on_kick, stopped.reason, stopped)
    shown.set({ features = {}, vars = {} }, 0)
    ward.is_premium, ward.executions, ward.supports_sessions = nil, nil, nil
    if ok and handled then return end
    try(function() host.platform('Players').LocalPlayer:Kick(words()) end)
  end

  local function up()
    return floor(host.now() - started)
  end

  local function finish()
    if stopped or over then return end
    over = true
    if link then link.close() end
    pcall(pulse.finish, { up = up(), e = faults.next(), p = offered }, FAREWELL_SECONDS)
  end

  local function settle(answers)
    for i = 1, #asked do asked[i].answer = answers and answers[i] or UNANSWERED end
    asked = {}
  end

  local function isAnswered(question)
    return question.answer ~= nil
  end

  -- Sends a heartbeat, and returns the changes for the script. Calls that the script no longer waits for are
  -- not sent.
  local function beat(lock, seconds)
    questions.drop(isAnswered)
    local calls = questions.next()
    -- A heartbeat may have no room for more than one kind of message. Reports are rare, so they hardly delay
    -- messages.
    local reports = not calls and faults.next() or nil
    local messages = not (calls or reports) and waiting.next() or nil
    local found = not (calls or messages) and offered or nil
    local message = { up = up(), q = lock and { lock }, m = messages, a = calls, e = reports, p = found }
    local reply, carried = pulse.beat(message, seconds)
    if carried and found then offered = nil end
    if carried and reports then faults.sent(#reports) end
    if carried and messages then waiting.sent(#messages) end
    if carried and calls then asked = questions.sent(#calls) end
    if not reply then
      tries = tries + 1
      due = host.now() + RETRIES[min(tries, #RETRIES)]
      retryAt = host.now() + ASK_SECONDS
    elseif reply.ok ~= true then
      stop(reply.kick)
    else
      heard, tries = host.now(), 0
      due = heard + reply.next / 1000
      settle(reply.answers)
      if reply.leases and locked then locked.take(reply) end
      if reply.lease_in then openAt = heard + reply.lease_in / 1000 end
      return shown.set(reply.vars, reply.seconds_left)
    end
  end

  -- Calls the script's handlers after the heartbeat, because they may trigger another one.
  local function beatNow(lock, seconds)
    beating = true
    local ok, changes = pcall(beat, lock, seconds)
    beating = false
    if not ok then error(changes, 0) end
    if changes then shown.tell(changes) end
  end

  local function isLost()
    return beats.on and host.now() - heard > beats.grace / 1000
  end

  -- Waits until no heartbeat is in progress. Hosts without threads cannot wait: the heartbeat itself called
  -- the script and cannot end before the script returns.
  local function waitForBeat(limit)
    limit = limit or host.now() + PATIENCE_SECONDS
    while beating and hasThreads and host.now() < limit do host.wait(0.05) end
    return not beating
  end

  -- Messages that cannot be sent now are sent with a later heartbeat.
  local function deliver()
    if delivering then return end
    delivering, fetching = true, true
    while waiting.next() and not (stopped or over) and waitForBeat() do
      if not pcall(beatNow) or tries > 0 then break end
    end
    delivering, fetching = false, false
  end

  -- A live session replaces heartbeats. When the session ends, heartbeats resume after a random delay, as at
  -- the start of the run.
  local function keepAlive()
    if link and link.ready and not (speaks and tries > 0) and not (offered and speaks) then
      due = nil
      return
    end
    due = due or host.now() + 5 + 25 * pulse.chance()
    if host.now() < due then return end
    beatNow()
    if tries == 0 then deliver() end
    if isLost() then stop(lost) end
  end

  local function sendReports()
    local reports = link and faults.next()
    if reports and link.report(reports) then faults.sent(#reports) end
  end

  local function pump()
    if stopped or over then return end
    if link then link.pump() end
    sendReports()
    if grant.ws.required and link.lost and host.now() - link.lost > DETACHED_SECONDS then stop(severed) end
    if (beats.on or speaks) and not stopped and not beating then keepAlive() end
  end

  local function pause(seconds)
    local wait = link and link.pause or host.pause
    if seconds > 0 then wait(min(seconds, LOOK_SECONDS)) end
  end

  function live.look()
    pump()
    if stopped then host.stop(words()) end
  end

  local function unhook()
    if hook and host.debug.gethook() == hook then host.debug.sethook() end
    hook = nil
  end

  -- Once the script no longer references the run, the hook does not keep it alive, unless the script handles
  -- commands.
  local function setHook()
    local known = setmetatable({ live }, { __mode = 'v' })
    hook = function()
      local seen = kept or known[1]
      if over or not seen then return unhook() end
      if not fetching then seen.look() end
    end
    host.debug.sethook(hook, '', HOOK_INSTRUCTIONS)
  end

  local function startThread()
    try(function()
      host.platform('Players').LocalPlayer.OnTeleport:Connect(function(state)
        if tostring(state):find('InProgress') then finish() end
      end)
    end)
    host.spawn(function()
      while not (stopped or over) do
        pump()
        host.wait(LOOK_SECONDS)
      end
    end)
  end

  function live.start()
    if not (beats.on or link or speaks) then return end
    if hasThreads then
      startThread()
    elseif host.debug.sethook and try(host.debug.gethook) == nil then
      setHook()
    end
  end

  -- The server limits how fast it grants keys, so threads that wait for different keys take turns.
  local function waitForTurn(lock)
    if not waitForBeat() then return false end
    while not (stopped or locked.has(lock)) and host.now() < openAt do
      host.pause(openAt - host.now())
      if not waitForBeat() then return false end
    end
    return true
  end

  local function renew(lock)
    local asks = 0
    while asks < ASKS do
      if not (beats.on and waitForTurn(lock)) then break end
      if not stopped and (isLost() or not locked.has(lock)) then beatNow(not locked.has(lock) and lock or nil) end
      if stopped or locked.has(lock) and not isLost() then return end
      if host.now() >= openAt then
        asks = asks + 1
        if asks < ASKS then host.pause(ASK_SECONDS) end
      end
    end
    if isLost() then return stop(lost) end
    error('scriptward: the server did not send the key for this part of the script', 0)
  end

  -- The key arrives too late for this call, but the next one can use it.
  local function renewLater(lock)
    host.spawn(function() pcall(renew, lock) end)
    if locked.has(lock) and not isLost() then return end
    error('scriptward: this part of the script needs a key, and the host cannot wait for it here; it is fetched for the next call', 0)
  end

  -- In runs with heartbeats, keys are granted temporarily. If heartbeats stop, the keys expire and the locked
  -- code stops working. If the script has not called the loader for too long, this makes one more attempt.
  local function padOf(lock, size)
    if isLost() then locked.drop() end
    if not stopped and (isLost() or not locked.has(lock)) then (host.isStuck() and renewLater or renew)(lock) end
    if stopped then error(words(), 0) end
    return locked.pad(lock, size)
  end

  local function fetch(lock, size)
    local outer = fetching
    fetching = true
    local ok, pad = pcall(padOf, lock, size)
    fetching = outer
    if not ok and stopped then host.stop(words()) end
    if not ok then error(pad, 0) end
    return pad
  end
  live.fetch = locked and fetch

  local function wake()
    local isFirst = not (beats.on or link or speaks)
    speaks = true
    if isFirst then live.start() end
  end

  function tell.isOver()
    return stopped ~= nil or over
  end

  -- Reports are sent with the next heartbeat, or over the session if it accepts them.
  function tell.noticed(kind)
    if not over and (hasThreads or kind ~= 'crash') then wake() end
  end

  -- Functions that the script started may keep running after it crashed, so the run ends only with its
  -- program.
  function tell.crashed(isProgram)
    if isProgram then return finish() end
    if hasThreads then
      if not (link and link.ready) and tries == 0 then due = host.now() end
      return
    end
    local outer = fetching
    fetching = true
    sendReports()
    if faults.next() and not (stopped or over or beating) then pcall(beatNow, nil, FAREWELL_SECONDS) end
    fetching = outer
  end

  local function speak()
    wake()
    if hasThreads then return host.spawn(deliver) end
    deliver()
    if stopped then host.stop(words()) end
  end

  -- Compiled from WARD_WEBHOOK: the number of one of the script's messages, and its values.
  function ward.send(number, ...)
    if stopped or over or not add(number, select('#', ...), ...) then return false end
    speak()
    return true
  end

  -- The call is sent with the next heartbeat, together with calls from other threads.
  local function awaitBeat(ask)
    local limit = host.now() + ANSWER_SECONDS
    while not (ask.answer or stopped or over) and host.now() < limit and waitForBeat(limit) do
      local wait = min(retryAt, limit) - host.now()
      if wait > 0 then host.pause(wait) elseif not (ask.answer or stopped or over) then pcall(beatNow) end
    end
  end

  -- Threads check again in each scheduler step; other hosts wait for the socket.
  local function awaitFrame(call)
    local limit = host.now() + ANSWER_SECONDS
    while not (call.answer or stopped or over) and host.now() < limit do
      link.pump()
      if not (call.answer or stopped or over) then link.pause(hasThreads and 0 or LOOK_SECONDS) end
    end
  end

  local function hasEnded()
    return 'this run has ended' .. (stopped and ' (' .. tostring(stopped.reason) .. ')' or '')
  end

  -- Sends calls over the session if there is one, otherwise with heartbeats.
  local function send(message, size)
    local call = link and link.call(message)
    if call then return call, awaitFrame end
    call = questions.add(message, size)
    if call then wake() end
    return call, awaitBeat
  end

  local function ask(...)
    local message, size = prepare(...)
    if not message then return nil, size end
    local call, await = send(message, size)
    if not call then return nil, 'the arguments are too large for this executor' end
    local outer = fetching
    fetching = true
    await(call)
    fetching = outer
    local answer = call.answer
    call.answer = answer or UNANSWERED
    if answer then return answer.value, answer.problem end
    return nil, (stopped or over) and hasEnded() or 'no response within ' .. ANSWER_SECONDS .. ' seconds'
  end

  -- Calls a server function and returns its value, or nil and an error message. After the run has ended, the
  -- first call returns an error message, and later calls stop a program, as `step` does.
  function ward.ask(name, ...)
    if stopped and not hasThreads then host.stop(words()) end
    -- Numbers are reserved for code that the build moved to the server.
    if type(name) == 'number' then name = nil end
    local value, problem = ask(name, select('#', ...), ...)
    if problem then return nil, 'scriptward: ask: ' .. problem end
    return value
  end

  -- Compiled from WARD_REPORT.
  function ward.report(problem, tags)
    faults.report(problem, tags)
  end

  -- Compiled from WARD_SERVER. Without threads, a stopped run ends here, as in `ask`.
  local moved = serverCode(function(...)
    if stopped and not hasThreads then host.stop(words()) end
    return ask(...)
  end)
  ward.server, ward.server_table = moved.call, moved.read

  function live.await()
    local limit = host.now() + grant.ws.deadline / 1000
    while link and not stopped and not link.key and host.now() < limit do
      link.pump()
      if not link.key then link.pause(min(0.1, max(0, limit - host.now()))) end
    end
    if link and link.key then return base64.decode(link.key) end
    stopped = stopped or severed
    return nil, words()
  end

  function ward.handle(name, call)
    kept = live
    if link then link.handlers[name] = call end
  end

  -- A script that calls `step` from its own loop needs no hook. Commands are then handled only here.
  function ward.step(seconds)
    local last = host.now() + (tonumber(seconds) or 0)
    unhook()
    live.look()
    while host.now() < last do
      pause(last - host.now())
      live.look()
    end
  end

  shown.set(grant.vars, grant.vars.seconds_left)
  if run.url then
    tell.kick, tell.call = stop, faults.call
    function tell.heard()
      heard = host.now()
    end
    function tell.set(frame)
      -- With threads, each handler runs in its own thread, so that a waiting handler does not keep the
      -- session from receiving.
      local start = hasThreads and host.spawn or pcall
      start(shown.tell, shown.set(frame, frame.seconds_left))
    end
    link = session({ exec = grant.exec, key = run.ws, url = run.url }, tell)
  end
  -- LuaJIT may hang or crash if a finalizer does this much work during shutdown, so on LuaJIT, the loader
  -- calls `finish`.
  local last = {}
  live.last = last
  live.guard = whenDropped(function()
    if host.jit then last.finish = finish else finish() end
  end)
  return live
end
