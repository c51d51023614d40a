-- Simulates a game platform's user interface in Luau, for tests and the dashboard's preview: Instances that
-- reject unknown properties, events with `Fire`, datatypes, services, and a clock that only `advance` moves.
-- `press(text)` activates the button with that text, and `dump()` prints the visible tree as JSON.
local viewport = viewport or { 1280, 720 }

local function value(kind, fields, add)
  fields.kind = kind
  return setmetatable(fields, { __add = add, __sub = add and function(a, b) return add(a, b, -1) end })
end

Vector2, UDim, UDim2, Color3 = {}, {}, {}, {}
function Vector2.new(x, y)
  return value('Vector2', { X = x, Y = y }, function(a, b, sign)
    return Vector2.new(a.X + b.X * (sign or 1), a.Y + b.Y * (sign or 1))
  end)
end
function UDim.new(scale, offset) return value('UDim', { Scale = scale, Offset = offset }) end
function UDim2.new(a, b, c, d)
  return value('UDim2', { X = UDim.new(a, b), Y = UDim.new(c, d) }, function(one, other)
    return UDim2.new(one.X.Scale + other.X.Scale, one.X.Offset + other.X.Offset,
      one.Y.Scale + other.Y.Scale, one.Y.Offset + other.Y.Offset)
  end)
end
function UDim2.fromOffset(x, y) return UDim2.new(0, x, 0, y) end
function UDim2.fromScale(x, y) return UDim2.new(x, 0, y, 0) end
function Color3.new(r, g, b) return value('Color3', { R = r, G = g, B = b }) end
function Color3.fromRGB(r, g, b) return Color3.new(r / 255, g / 255, b / 255) end
Enum = setmetatable({}, { __index = function(_, group)
  return setmetatable({}, { __index = function(_, name) return value('Enum', { Name = name, Group = group }) end })
end })

local SHARED = { Name = '', Visible = true, Position = UDim2.new(0, 0, 0, 0), Size = UDim2.new(0, 0, 0, 0), ZIndex = 1,
  AnchorPoint = Vector2.new(0, 0), BackgroundColor3 = Color3.new(1, 1, 1), BackgroundTransparency = 0, BorderSizePixel = 1,
  Active = false }
local TEXT = { Text = '', TextSize = 8, TextColor3 = Color3.new(0, 0, 0), Font = false, TextXAlignment = false,
  TextYAlignment = false, TextWrapped = false, TextTruncate = false, LineHeight = 1 }
local BUTTON = { AutoButtonColor = true, Modal = false }
local CLASSES = {
  ScreenGui = { { Name = '', ResetOnSpawn = true, IgnoreGuiInset = false, AutoLocalize = true, DisplayOrder = 0,
    ZIndexBehavior = false } },
  Frame = { SHARED },
  TextLabel = { SHARED, TEXT },
  TextButton = { SHARED, TEXT, BUTTON },
  TextBox = { SHARED, TEXT, { ClearTextOnFocus = true, PlaceholderText = '', PlaceholderColor3 = false, TextEditable = true,
    MultiLine = false } },
  ImageLabel = { SHARED, { Image = '', ScaleType = false } },
  UICorner = { { CornerRadius = false } },
  UIStroke = { { Color = false, Thickness = 1, ApplyStrokeMode = false } },
  UIScale = { { Scale = 1 } },
  Folder = { { Name = '', ViewportSize = false, CurrentCamera = false } },
}
local EVENTS = { Activated = true, MouseButton1Click = true, Focused = true, FocusLost = true, InputBegan = true,
  InputChanged = true, InputEnded = true, Destroying = true }

local time, sleeping = 0, {}
task = {}
function task.spawn(call, ...)
  local thread = coroutine.create(call)
  local ok, problem = coroutine.resume(thread, ...)
  if not ok then print('error: ' .. tostring(problem)) end
end
function task.wait(seconds)
  sleeping[#sleeping + 1] = { thread = coroutine.running(), due = time + (seconds or 0) }
  coroutine.yield()
end
function advance(seconds)
  time += seconds
  for _, each in table.clone(sleeping) do
    if each.due <= time then
      table.remove(sleeping, table.find(sleeping, each))
      local ok, problem = coroutine.resume(each.thread)
      if not ok then print('error: ' .. tostring(problem)) end
    end
  end
end
local realOs = os
os = setmetatable({ clock = function() return time end }, { __index = realOs })

local function event()
  local list = {}
  return {
    Connect = function(_, call)
      list[call] = true
      return { Disconnect = function() list[call] = nil end }
    end,
    Fire = function(_, ...) for call in table.clone(list) do task.spawn(call, ...) end end,
    Count = function() local count = 0 for _ in list do count += 1 end return count end,
  }
end

local methods = {}
local function setParent(data, object, parent)
  local former = data.Parent and getmetatable(data.Parent).data
  if former then table.remove(former.children, table.find(former.children, object)) end
  if parent and getmetatable(parent).data.isLocked then error('The current thread cannot write Parent', 0) end
  data.Parent = parent
  if parent then table.insert(getmetatable(parent).data.children, object) end
end
Instance = {}
function Instance.new(class, parent)
  local known, events, signals = CLASSES[class], {}, {}
  if not known then error('Unable to create an Instance of type "' .. class .. '"', 0) end
  local data = { children = {}, class = class, properties = {}, isLocked = false, events = events, signals = signals }
  local object = {}
  for _, group in known do for name, default in group do data.properties[name] = default end end
  setmetatable(object, {
    data = data,
    __index = function(_, name)
      if name == 'Parent' then return data.Parent end
      if methods[name] then return methods[name] end
      if data.properties[name] ~= nil then return data.properties[name] end
      if not EVENTS[name] then error(name .. ' is not a valid member of ' .. class, 2) end
      events[name] = events[name] or event()
      return events[name]
    end,
    __newindex = function(_, name, given)
      if name == 'Parent' then return setParent(data, object, given) end
      if data.properties[name] == nil then error(name .. ' is not a valid member of ' .. class, 2) end
      if type(data.properties[name]) ~= type(given) and data.properties[name] ~= false then
        error('Unable to assign property ' .. name .. ' of ' .. class, 2)
      end
      data.properties[name] = given
      if signals[name] then signals[name]:Fire() end
    end,
  })
  if parent then setParent(data, object, parent) end
  return object
end
function methods.FindFirstChild(self, name)
  for _, child in getmetatable(self).data.children do
    if getmetatable(child).data.properties.Name == name then return child end
  end
end
methods.WaitForChild = methods.FindFirstChild
function methods.Destroy(self)
  local data = getmetatable(self).data
  if data.isDestroyed then return end
  data.isDestroyed = true
  if data.events.Destroying then data.events.Destroying:Fire() end
  self.Parent = nil
end
function methods.GetPropertyChangedSignal(self, name)
  local signals = getmetatable(self).data.signals
  signals[name] = signals[name] or event()
  return signals[name]
end

local function folder(name, parent)
  local made = Instance.new('Folder')
  made.Name, made.Parent = name, parent
  return made
end
hidden, coreGui, player = folder('hidden'), folder('CoreGui'), folder('player')
playerGui = folder('PlayerGui', player)
camera = folder('Camera')
camera.ViewportSize = Vector2.new(viewport[1], viewport[2])
inputs = { InputChanged = event(), InputEnded = event() }
function gethui() return hidden end
function lock(parent) getmetatable(parent).data.isLocked = true end

-- An average character is slightly less than half as wide as a line is high. Cyrillic characters are about
-- half as wide.
local function measured(_, text, size, _, frame)
  local lines, longest, each = 0, 0, size * (string.find(text, '[\208\209]') and 0.5 or 0.47)
  for line in string.gmatch(text .. '\n', '(.-)\n') do
    local room, used = math.floor(frame.X / each), 0
    lines += 1
    for word in string.gmatch(line, '%S+') do
      local length = utf8.len(word) or #word
      if used > 0 and used + 1 + length > room then lines, used = lines + 1, 0 end
      used += length + (used > 0 and 1 or 0)
      longest = math.max(longest, math.min(used, room))
      while used > room do lines, used = lines + 1, used - room end
    end
  end
  return Vector2.new(longest * each, lines * size)
end
local services = {
  CoreGui = coreGui, Workspace = { CurrentCamera = camera }, Players = { LocalPlayer = player },
  TextService = { GetTextSize = measured }, UserInputService = inputs,
  LocalizationService = { RobloxLocaleId = 'de-de' },
}
game = { PlaceId = 77, GameId = 5, JobId = 'job', GetService = function(_, name)
  return services[name] or error('no service ' .. name, 0)
end }

local function isShown(object) return getmetatable(object).data.properties.Visible ~= false end
function find(test, root)
  root = root or shown()
  if not root then return nil end
  if test(root, getmetatable(root).data) then return root end
  for _, child in getmetatable(root).data.children do
    local found = isShown(child) and find(test, child)
    if found then return found end
  end
end
function shown()
  return hidden:FindFirstChild('ScriptwardWindow') or coreGui:FindFirstChild('ScriptwardWindow')
    or playerGui:FindFirstChild('ScriptwardWindow')
end
function button(text)
  local found = find(function(_, data) return data.class == 'TextButton' and data.properties.Text == text end)
  return found or error('no button ' .. text, 2)
end
function press(text) button(text).Activated:Fire() end
function field() return find(function(_, data) return data.class == 'TextBox' end) end
-- Returns the window's message, without its link.
function said()
  local found = find(function(_, data) return data.class == 'TextBox' and data.properties.MultiLine end)
  return found and found.Text
end

local function text(given) return '"' .. string.gsub(given, '[%c"\\]', function(c) return string.format('\\u%04x', string.byte(c)) end) .. '"' end
local encode
local function members(list)
  local parts = {}
  for name, each in list do
    local encoded = encode(each)
    if encoded then parts[#parts + 1] = text(name) .. ':' .. encoded end
  end
  return '{' .. table.concat(parts, ',') .. '}'
end
local SHAPES = {
  Vector2 = function(v) return { v.X, v.Y } end,
  UDim = function(v) return { v.Scale, v.Offset } end,
  UDim2 = function(v) return { v.X.Scale, v.X.Offset, v.Y.Scale, v.Y.Offset } end,
  Color3 = function(v) return { v.R, v.G, v.B } end,
}
function encode(given)
  if type(given) == 'string' then return text(given) end
  if type(given) ~= 'table' then return tostring(given) end
  if given.kind == 'Enum' then return text(given.Name) end
  return SHAPES[given.kind] and '[' .. table.concat(SHAPES[given.kind](given), ',') .. ']'
end
local function tree(object)
  local data, children = getmetatable(object).data, {}
  for _, child in data.children do children[#children + 1] = tree(child) end
  return '{"class":' .. text(data.class) .. ',"properties":' .. members(data.properties)
    .. ',"children":[' .. table.concat(children, ',') .. ']}'
end
function dump() print(shown() and tree(shown()) or 'null') end
