-- Downloads and compiles Lua code on any host, for the short programs that run before a loader.
--   code.compile(text, name)   a function; nil and an error message if the text is not Lua
--   code.fetch(urls)           the code from the first URL that returns Lua, as a function
local match = string.match
local code = {}

local function known(read)
  local ok, value = pcall(read)
  return ok and value or nil
end

code.compile = known(function() return loadstring end) or known(function() return load end)

local function byRequest(read)
  return function(url) return read()({ Url = url, Method = 'GET' }).Body end
end

local WAYS = {
  function(url) return game:HttpGet(url) end,
  byRequest(function() return request end),
  byRequest(function() return http_request end),
  byRequest(function() return http.request end),
  byRequest(function() return syn.request end),
  byRequest(function() return fluxus.request end),
  function(url) return (require(match(url, '^https') and 'ssl.https' or 'socket.http').request(url)) end,
}

function code.fetch(urls)
  local problem = "the server can't be reached from this host"
  for i = 1, #urls do
    for j = 1, #WAYS do
      local ok, text = pcall(WAYS[j], urls[i])
      if ok and type(text) == 'string' and text ~= '' then
        local chunk, complaint = code.compile(text, '=scriptward')
        if chunk then return chunk end
        problem = tostring(complaint)
      end
    end
  end
  error('scriptward: ' .. problem, 0)
end

return code
