-- Calls code that the build moved to the server with WARD_SERVER. The script refers to it by number.
--   serverCode(ask)             ask(number, count, ...) returns a list of JSON values, or nil and an error
--     .call(number, cache)      returns a function that the server runs
--     .read(number, cache)      returns a proxy for a table on the server, whose fields can be read one at a time
-- `cache` is the number of seconds to keep each result, true for the entire run, or nil for no caching.
local host, json, values = ...
local error, pcall, select, setmetatable, getmetatable = error, pcall, select, setmetatable, getmetatable
local unpack, remove, huge = table.unpack or unpack, table.remove, math.huge

local MAX_KEPT = 256

local function fail(problem)
  error('scriptward: ' .. problem, 0)
end

-- Returns the arguments as JSON values, or raises an error that names the first argument that cannot be sent.
local function encodeAll(count, ...)
  local list = {}
  for i = 1, count do
    local value = select(i, ...)
    if value == nil then
      list[i] = json.null
    else
      local ok, encoded = pcall(values.encode, value)
      if not ok then fail('argument ' .. i .. ' cannot be sent to the server: it is ' .. encoded) end
      list[i] = encoded
    end
  end
  return list
end

-- Creates a cache for one function's or table's results, by arguments. When full, it drops the oldest entry.
local function store(seconds)
  local kept, order = {}, {}
  local cache = {}

  function cache.find(key)
    local one = kept[key]
    if one and host.now() < one.ends then return one.results end
  end

  function cache.keep(key, results)
    if not kept[key] then order[#order + 1] = key end
    kept[key] = { results = results, ends = seconds == true and huge or host.now() + seconds }
    if #order > MAX_KEPT then kept[remove(order, 1)] = nil end
  end

  return cache
end

return function(ask)
  local serverCode = {}

  local function fetch(number, count, list)
    local results, problem = ask(number, count, unpack(list, 1, count))
    if problem then fail(problem) end
    return results
  end

  -- Decodes the results for every call, because a script can change the returned tables.
  local function deliver(results)
    local list = {}
    for i = 1, #results do list[i] = values.decode(results[i]) end
    return unpack(list, 1, #results)
  end

  function serverCode.call(number, seconds)
    local cache = seconds and store(seconds)
    return function(...)
      local count = select('#', ...)
      local list = encodeAll(count, ...)
      local key = cache and json.encode(list)
      local results = cache and cache.find(key)
      if not results then
        results = fetch(number, count, list)
        if cache then cache.keep(key, results) end
      end
      return deliver(results)
    end
  end

  local function refuse(use)
    return function() fail('a table on the server cannot be ' .. use .. ': only single fields can be read') end
  end

  -- On hosts where `pairs` and `#` ignore a table's metatable, a proxy table would seem empty. With a
  -- userdata instead of a table, they fail.
  local function proxyOf(index)
    local proxy = host.try(function() return newproxy(true) end) or setmetatable({}, {})
    local meta = getmetatable(proxy)
    meta.__index, meta.__newindex = index, refuse('changed')
    meta.__len, meta.__pairs, meta.__iter = refuse('measured'), refuse('iterated'), refuse('iterated')
    meta.__metatable = false
    return proxy
  end

  function serverCode.read(number, seconds)
    local call = serverCode.call(number, seconds)
    return proxyOf(function(_, key)
      if key ~= nil then return (call(key)) end
    end)
  end

  return serverCode
end
