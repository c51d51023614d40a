-- Reports the script's errors (client protocol, Errors). Without `errors` in the grant, nothing is recorded
-- and the script is called directly.
--   errors(run, tell)             run: { grant, room, key }, the user's key; tell: callbacks { noticed(kind),
--                                 crashed(isProgram), isOver() }; isProgram: whether the error ends the interpreter
--     .ward                       set to the `ward` table, whose values are removed from reports
--     .run(start, main, ...)      calls start() and then main(...); its results and errors pass through
--     .call(call, ...)            like pcall, and reports the error
--     .report(problem, tags)      reports an error that the script caught
--     .next()                     reports for one message; nil when none are waiting
--     .sent(count)                removes that many sent reports
local host, json, scrub = ...
local error, pcall, xpcall, select, type, tostring, next = error, pcall, xpcall, select, type, tostring, next
local setmetatable = setmetatable
local tonumber, format, gmatch, sub, match = tonumber, string.format, string.gmatch, string.sub, string.match
local gsub, min, floor, remove = string.gsub, math.min, math.floor, table.remove
local unpack = table.unpack or unpack
local try = host.try
-- These functions are saved now, because scripts may replace them later.
local getinfo, info, traceback = host.debug.getinfo, host.debug.info, host.debug.traceback
local threads = try(function() return coroutine end) or {}
local create, resume, running, status, yield = threads.create, threads.resume, threads.running, threads.status, threads.yield

-- Maximum reports per run, and seconds between two reports of the same error.
local MAX_REPORTS, PAUSE_SECONDS = 5, 60
-- Maximum bytes of a message to send, and to compare when detecting a repeated error.
local MAX_TEXT, MAX_COMPARED = 1000, 4096
local MAX_LINES, MAX_LEVELS = 20, 100
local MAX_TAGS, MAX_TAG_LENGTH = 8, 64
local MAX_COUNT = 2 ^ 31 - 1
-- Hosts shorten chunk names that are longer than this.
local SHORTENED = 59
-- Bytes reserved for the rest of a message's JSON.
local REST = 200
local NO_STACK = {}

-- Lua 5.1 cannot yield across pcall.
local yieldsAcross = _VERSION ~= 'Lua 5.1' or host.jit
  or try(function() return coroutine.wrap(function() return pcall(yield, true) end)() end)

-- Prevents a tail call, which would hide the caller from error levels.
local function pass(...)
  return ...
end

-- Never runs the script's metamethods.
local function textOf(value)
  if type(value) == 'string' then return value end
  if type(value) == 'number' then return format('%.14g', value) end
  return 'error object is ' .. host.kind(value)
end

return function(run, tell)
  local errors = { call = pcall }
  if run.grant.errors ~= true then
    function errors.run(start, main, ...)
      start()
      return main(...)
    end
    errors.report, errors.next = function() end, function() end
    return errors
  end

  local name = tostring(run.grant.script.name)
  local position = gsub(sub(name, 1, SHORTENED), '%p', '%%%0') .. ':(%d+)'
  local vars = run.grant.vars
  local game = try(function() return host.platform('Players').LocalPlayer end)
  local player = { try(function() return game.UserId end), try(function() return game.Name end) }

  -- The script's name and the key's status are not private.
  local function sources()
    local values = { player }
    for _, source in next, { vars, errors.ward or {} } do
      for field, value in next, source do
        if field ~= 'script_name' and field ~= 'status' then values[#values + 1] = value end
      end
    end
    return run.key, values
  end
  local clean = scrub(name, sources)

  local waiting, known, left = {}, {}, MAX_REPORTS
  -- The loader's functions that call the script or a handler. Stack frames below them are unrelated.
  local begun = setmetatable({}, { __mode = 'k' })

  local function isOwn(source)
    return type(source) == 'string' and (source == '=' .. name or source == name
      or #source >= SHORTENED and sub(name, 1, #source) == source)
  end

  -- Returns the script's line at a stack level, nil if the level is not in the script, or false if the
  -- loader's call to the script began there.
  local function lineAt(level, thread)
    local source, line, call
    if getinfo then
      local frame
      if thread then frame = getinfo(thread, level, 'Slf') else frame = getinfo(level + 1, 'Slf') end
      if not frame then return false end
      source, line, call = frame.source, frame.currentline, frame.func
    else
      source, line, call = info(level + 1, 'slf')
      if not source then return false end
    end
    if begun[call] then return false end
    return isOwn(source) and line > 0 and line or nil
  end

  local function addLinesOf(text, lines, most)
    for line in gmatch(text, position) do
      if #lines < most then lines[#lines + 1] = tonumber(line) end
    end
  end

  -- Returns up to `most` lines of the script on the stack, innermost first.
  local function linesOf(text, most, stack)
    local lines, thread = {}, stack and stack.thread
    if stack == NO_STACK then
      -- Without a stack, only the message contains a position.
    elseif getinfo or info then
      for level = thread and 0 or 2, MAX_LEVELS do
        local line = lineAt(level, thread)
        if line == false or #lines >= most then break end
        if line then lines[#lines + 1] = line end
      end
    elseif traceback then
      addLinesOf(tostring(traceback()), lines, most)
    end
    if #lines == 0 then addLinesOf(sub(text, 1, MAX_COMPARED), lines, 1) end
    return lines
  end

  local function tagsOf(tags)
    if type(tags) ~= 'table' then return nil end
    local found, count = {}, 0
    for tag, value in next, tags do
      local kind = type(value)
      local isPlain = kind == 'string' or kind == 'number' or kind == 'boolean'
      if type(tag) == 'string' and isPlain and count < MAX_TAGS then
        local text = kind == 'boolean' and (value and 'true' or 'false') or textOf(value)
        found[clean(tag, MAX_TAG_LENGTH)] = clean(text, MAX_TAG_LENGTH)
        count = count + 1
      end
    end
    return count > 0 and found or nil
  end

  local function add(kind, text, lines, tags)
    local report = {
      kind = kind,
      text = clean(text, min(MAX_TEXT, floor(run.room / 4))),
      at = lines[1] and lines or json.decode('[]'),
      n = 1,
      tags = tagsOf(tags),
    }
    local encoded = json.encode(report)
    if not encoded or #encoded + REST > run.room then report.tags = nil end
    waiting[#waiting + 1] = report
    return report
  end

  -- A repeated error only increments a counter, so it is cheap.
  local function record(kind, value, tags, stack)
    if tell.isOver() or left == 0 and #waiting == 0 then return end
    local text = textOf(value)
    local first = linesOf(text, 1, stack)[1]
    local one = kind .. (first or '') .. '\0' .. sub(text, 1, MAX_COMPARED)
    local seen = known[one]
    if seen and seen.report then
      seen.report.n = min(MAX_COUNT, seen.report.n + 1)
      return
    end
    if seen then seen.missed = seen.missed + 1 end
    if left == 0 or seen and host.now() < seen.due then return end
    left = left - 1
    local report = add(kind, text, linesOf(text, MAX_LINES, stack), tags)
    report.n = min(MAX_COUNT, seen and seen.missed or 1)
    known[one] = { report = report, missed = 0, due = host.now() + PAUSE_SECONDS }
    tell.noticed(kind)
  end

  -- A failure here must not replace the error. After a stack overflow, some hosts cannot record the error
  -- before the stack is unwound.
  local isRecorded
  local function watch(kind)
    return function(value)
      isRecorded = false
      isRecorded = pcall(record, kind, value)
      return value
    end
  end
  local onCrash, onError = watch('crash'), watch('thread')

  local function recordLate(kind, value)
    if not isRecorded then pcall(record, kind, value, nil, NO_STACK) end
  end

  -- The interpreter prints only the final stack, so this adds the original stack to a program's error.
  local function withStack(isProgram, handler)
    return function(value)
      handler(value)
      -- A tail call would remove a stack level.
      if isProgram and traceback and type(value) == 'string' then value = traceback(value, 2) end
      return value
    end
  end

  local function crash(value, isProgram)
    recordLate('crash', value)
    tell.crashed(isProgram)
    error(value, 0)
  end

  local function settle(isProgram, ok, ...)
    if ok then return ... end
    crash((...), isProgram)
  end

  -- Runs a function in a coroutine and forwards its yields. If a scheduler resumes the inner coroutine
  -- directly, the outer one is resumed when the function ends.
  local function relay(start, main, ...)
    local outer, isHere, DONE = running(), true, {}
    local received

    local function continue(ok, ...)
      if ok then return ... end
      error((...), 0)
    end

    local function finish(...)
      if isHere then return ... end
      return continue(resume(outer, DONE, ...))
    end

    local inner = create(function(...)
      start()
      return finish(main(...))
    end)

    local function step(ok, ...)
      isHere = false
      if not ok then
        isRecorded = pcall(record, 'crash', (...), nil, { thread = inner })
        crash((...))
      end
      if status(inner) == 'dead' then return ... end
      return received(yield(...))
    end

    function received(...)
      if (...) == DONE then return select(2, ...) end
      isHere = true
      return step(resume(inner, ...))
    end

    return received(...)
  end

  function errors.run(start, main, ...)
    if not yieldsAcross and running and running() then return relay(start, main, ...) end
    local count, args = select('#', ...), { ... }
    local isProgram = host.isProgram()
    local function body()
      start()
      return pass(main(unpack(args, 1, count)))
    end
    host.guards[body], begun[body] = true, true
    return settle(isProgram, xpcall(body, withStack(isProgram, onCrash)))
  end

  local function noteResult(ok, ...)
    if not ok then recordLate('thread', (...)) end
    return ok, ...
  end

  function errors.call(call, ...)
    local count, args = select('#', ...), { ... }
    local function body() return pass(call(unpack(args, 1, count))) end
    begun[body] = true
    return noteResult(xpcall(body, onError))
  end

  function errors.report(problem, tags)
    pcall(record, 'caught', problem, tags)
  end

  function errors.next()
    local reports, size = {}, REST
    for i = 1, #waiting do
      size = size + #json.encode(waiting[i]) + 1
      if i > 1 and size > run.room then break end
      reports[i] = waiting[i]
    end
    return reports[1] and reports
  end

  function errors.sent(count)
    for _ = 1, count do
      local report = remove(waiting, 1)
      for _, seen in next, known do
        if seen.report == report then seen.report = nil end
      end
    end
  end

  return errors
end
