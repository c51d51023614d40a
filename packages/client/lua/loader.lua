-- The loader's flow (client protocol §16): boot, keys, exec, then a denial, a failure or a running script.
-- Its settings are passed in a record: { boot, keys, project_id, script_id, build, key_format }; a loader
-- file has `urls` and `pins` instead of `boot`. A response that the server did not encrypt is a connection
-- failure, never a decision about the user's key. Typos in a key are detected without the server.
local host, environment, keyCheck, transport, websocket, entropy, handshake, live, open, base64, json, isPinned = ...
local type, tostring = type, tostring
local match, gmatch, gsub, sub, format = string.match, string.gmatch, string.gsub, string.sub, string.format
local max, floor = math.max, math.floor
local try = host.try

local FEWEST_TRIES = 3
-- Limit in KiB, the unit in which Lua counts memory.
local MAX_HEAP_KIB = 65536
-- Characters of a heartbeat body before its box.
local BEAT_HEAD = 64

local function fail(words)
  host.stop('scriptward: ' .. words)
end

local function urlsOf(record)
  return record.urls or record.boot.urls
end

-- Returns the first response from any URL. Server errors and unreachable URLs are skipped.
local function ask(record, method, path, body)
  local urls = urlsOf(record)
  local problem
  for i = 0, max(#urls, FEWEST_TRIES) - 1 do
    local status, answer = transport.send(method, urls[i % #urls + 1] .. path, body)
    if status == false then fail(answer) end
    if status and status < 500 then return status, answer end
    problem = status and 'HTTP ' .. status or answer
  end
  fail('the server cannot be reached (' .. problem .. ')')
end

local function isSize(text, size)
  local bytes = type(text) == 'string' and base64.decode(text)
  return bytes and #bytes == size
end

local function isBoot(boot)
  return type(boot) == 'table' and isSize(boot.boot, 40) and isSize(boot.ek, 32) and isSize(boot.seed, 32)
end

-- A loader with an expired boot record fetches a new one. Its URLs are ignored, because they are not
-- authenticated.
local function fetchBoot(record)
  local status, answer = ask(record, 'GET', '/boot?script=' .. record.script_id)
  local boot = status == 200 and json.decode(answer)
  if not isBoot(boot) then fail('the server sent no boot record (HTTP ' .. status .. ')') end
  if record.pins and not isPinned(record, answer, boot) then
    fail('the boot record is not signed by the server that issued this loader; download a new loader from where you got this one')
  end
  if not record.keys[boot.kid] then fail('this loader is outdated; get a new one') end
  return boot
end

-- Returns nil without a key; false and a message for a value that cannot be a key or has a typo.
local function keyOf(record)
  local key, problem = environment.userKey()
  if key and record.key_format then key = keyCheck(record.key_format, key) end
  return key, problem or 'This key contains a typo. Check script_key.'
end

-- Returns the same denial that the server would send.
local function invalidKey(message)
  return { ok = false, code = 10, reason = 'invalid_key', message = message }
end

local function hello(record, boot, key, fingerprint)
  return json.encode({
    pv = 1,
    lb = record.build,
    sv = boot.sv,
    script = record.script_id,
    key = key or json.null,
    rt = environment.runtime(),
    host = environment.host(),
    fp = fingerprint,
    game = environment.game(),
    lang = environment.language(),
    caps = {
      ws = websocket.usable(urlsOf(record)[1]),
      raw = transport.isRaw(urlsOf(record)[1]),
      lz4 = true,
      buffer = try(function() return buffer.create end) ~= nil,
      post = transport.maxBody() > 4096,
      max_body = transport.maxBody(),
      vm = record.interpreter ~= nil,
    },
    env = environment.hints(),
    t = try(host.os.time),
  })
end

local function exec(record, boot, text)
  local keys = handshake(boot, base64.decode(record.keys[boot.kid]), entropy(boot.seed))
  local status, answer = ask(record, 'POST', '/exec', keys.request(text))
  return status, answer, keys
end

-- Returns the decrypted reply, its payload box, the keys of the handshake and the user's key.
local function reach(record)
  local key, problem = keyOf(record)
  if key == false then return invalidKey(problem) end
  local boot = record.boot or fetchBoot(record)
  local text = hello(record, boot, key, environment.fingerprint(record.project_id))
  local status, answer, keys = exec(record, boot, text)
  if status == 409 then
    boot = fetchBoot(record)
    status, answer, keys = exec(record, boot, text)
  end
  if status ~= 200 then fail('unexpected response from the server (HTTP ' .. status .. ')') end
  local sealed, box = keys.reply(answer)
  local reply = sealed and json.decode(sealed)
  if type(reply) ~= 'table' then fail('the response of the server is not authentic') end
  return reply, box, keys, key
end

-- Notifies the `ward` table that the user set beforehand. A silent script reports the denial nowhere else.
local function deny(denial)
  denial._ = nil
  denial.message = environment.problems[denial.reason] or denial.message
  local watcher = host.setting('ward', function() return ward end)
  if type(watcher) == 'table' then
    watcher.denied = denial
    if type(watcher.on_denied) == 'function' then watcher.on_denied(denial.reason) end
  end
  if denial.silent then return nil, denial.reason end
  local link = type(denial.link) == 'table' and denial.link
  local where = link and '\n  ' .. tostring(link.text) .. ': ' .. tostring(link.url) or ''
  fail(tostring(denial.message) .. ' (' .. tostring(denial.reason) .. ')' .. where)
end

local function fetchChunk(record, grant, n)
  local status, answer = ask(record, 'GET', '/chunk/' .. grant.exec .. '/' .. format('%d', n))
  if status ~= 200 then return nil end
  local box = match(answer, '^lp1%.([%w_-]+)%s*$')
  return box and base64.decode(box) or answer
end

-- After the grant, requests rotate through the URLs, moving to the next one after each failure.
local function sender(record)
  local urls, turn = urlsOf(record), 0
  return function(path, body, seconds)
    local status, answer = transport.send('POST', urls[turn % #urls + 1] .. path, body, seconds)
    if status ~= 200 then turn = turn + 1 end
    return status, answer
  end
end

-- Returns how many bytes of JSON fit into a heartbeat, which is encrypted and base64-encoded.
local function room()
  return floor((transport.maxBody() - BEAT_HEAD) * 3 / 4) - 16
end

local function address(record, ws)
  if ws.on then return ws.url or gsub(urlsOf(record)[1], '^http', 'ws') .. '/ws' end
end

-- Returns the script as a function. For data payloads, the compiled code does not contain the data, so that
-- hooking the host's compiler reveals only code that every loader contains. Locked parts of the script call
-- `fetch`.
local function compile(record, reply, text, fetch)
  local code, data, place = text, nil, reply.payload.data
  if reply.payload.kind == 'vm' then
    if place then
      code = sub(text, 1, place[1]) .. '...' .. sub(text, place[2] + 1)
      text = sub(text, place[1] + 1, place[2])
    else
      code = record.unpack(record.interpreter)
    end
    data = {}
    for value in gmatch(text, '"([^"]*)"') do data[#data + 1] = value end
  end
  local chunk, complaint = host.load(code, '=' .. tostring(reply.script.name))
  if not chunk then fail('the script cannot be loaded: ' .. tostring(complaint)) end
  return chunk(data, fetch)
end

local function prepare(record)
  if not host.load then fail('your executor has no loadstring function, which scripts require') end
  local reply, box, keys, userKey = reach(record)
  if reply.ok ~= true then return deny(reply) end
  local key, beat, ws, lease = keys.session(base64.decode(reply.gn))
  local url, problem, text = address(record, reply.ws), nil, nil
  local run = live({
    grant = reply,
    beat = beat,
    ws = ws,
    lease = lease,
    send = sender(record),
    room = room(),
    url = url,
    key = userKey,
  })
  if reply.payload.mode == 'ws' then
    key, problem = run.await()
    if not key then host.stop(problem) end
  end
  text, problem = open(reply, key, function(n)
    if n == 0 then return box end
    return fetchChunk(record, reply, n)
  end)
  if not text then fail(problem) end
  return compile(record, reply, text, run.fetch), run
end

-- Keeps the run referenced until its script has returned, because an unreferenced run ends. On LuaJIT, the
-- garbage collector then determines immediately whether the script still references it. The machine code
-- compiled from the script also references it, so it is discarded first. Large heaps are skipped, because
-- collecting them would noticeably block the host.
local function finish(run, ...)
  local last = run.last
  run = nil
  if host.jit then
    try(function()
      if collectgarbage('count') >= MAX_HEAP_KIB then return end
      host.jit.flush()
      collectgarbage()
    end)
    if last.finish then last.finish() end
  end
  return ...
end

-- The script's results and errors reach the caller unchanged.
return function(record, ...)
  local main, run = prepare(record)
  if not main then return nil, run end
  return finish(run, run.errors.run(run.start, main, run.ward, ...))
end
