-- Detects which functions the host has (client protocol, Probe) by checking the type of each.
--   probe(list)    list: the number of the list that the server wants, or nil
--                  returns { v, has } for the server, or nil
local host = ...
local concat, format, gmatch, pcall, type = table.concat, string.format, string.gmatch, pcall, type

local LIST = 1
-- The names are in the same order as in probe.ts. Each digit of the result represents four functions.
local NAMES = ''
  .. ' request http_request http.request WebSocket.connect writefile readfile appendfile isfile delfile'
  .. ' listfiles isfolder makefolder delfolder loadfile dofile getcustomasset hookfunction hookmetamethod'
  .. ' restorefunction newcclosure iscclosure islclosure isexecutorclosure checkcaller clonefunction'
  .. ' getrawmetatable setrawmetatable setreadonly isreadonly getnamecallmethod getgenv getrenv getsenv'
  .. ' getgc getreg filtergc getloadedmodules getrunningscripts getscripts getscriptbytecode'
  .. ' getscriptclosure decompile getconnections firesignal fireclickdetector fireproximityprompt'
  .. ' firetouchinterest gethiddenproperty sethiddenproperty isscriptable setscriptable gethui getinstances'
  .. ' getnilinstances cloneref compareinstances getthreadidentity setthreadidentity identifyexecutor'
  .. ' gethwid setclipboard setfpscap queue_on_teleport mouse1click keypress loadstring lz4compress'
  .. ' Drawing.new crypt.encrypt crypt.hash crypt.generatebytes crypt.base64encode debug.getconstants'
  .. ' debug.setconstant debug.getupvalue debug.getupvalues debug.setupvalue debug.getproto debug.getprotos'
  .. ' debug.getstack debug.getinfo debug.info getfenv setfenv unpack table.clone table.find table.move'
  .. ' table.unpack string.split string.pack math.clamp bit32.band buffer.create utf8.char coroutine.close'
  .. ' task.spawn task.wait io.open os.execute'

local function isFunction(read)
  local ok, value = pcall(read)
  return ok and type(value) == 'function'
end

-- The checks are compiled like the script, so they see the same globals. Every access is in a separate
-- function, because a strict host raises an error for an unknown name.
local function compile()
  local parts = { 'return {' }
  for name in gmatch(NAMES, '%S+') do parts[#parts + 1] = 'function() return ' .. name .. ' end,' end
  parts[#parts + 1] = '}'
  local chunk = host.load(concat(parts, '\n'), '=probe')
  return chunk and chunk()
end

return function(list)
  local reads = list == LIST and host.try(compile)
  if not reads then return nil end
  local digits = {}
  for i = 1, #reads, 4 do
    local digit = 0
    for bit = 0, 3 do digit = 2 * digit + (isFunction(reads[i + bit]) and 1 or 0) end
    digits[#digits + 1] = format('%x', digit)
  end
  return { v = LIST, has = concat(digits) }
end
