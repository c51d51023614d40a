-- Drawing functions for the key window: Instances, colors with enough contrast, and text sizes.
--   look.make(class, parent, properties)   a new Instance
--   look.palette(accent)                   the colors for an accent: '#rrggbb' or a Color3
--   look.measure(text, size, width)        the width and height of a text that wraps at a width
--   look.show(gui)                         shows a ScreenGui above the game, replacing one of the same name
--   look.viewport()                        the width and height of the screen, and the camera
local tools = ...
local try, platform = tools.host.try, tools.host.platform
local pcall, type, pairs, tonumber = pcall, type, pairs, tonumber
local match, ceil, min = string.match, math.ceil, math.min
local look = {}

local TEXT_CONTRAST = 4.5
local BLACK, WHITE = { 9, 11, 16 }, { 255, 255, 255 }
local DEFAULT = '#3b82f6'
local COLORS = {
  card = '#171a21', field = '#0e1015', edge = '#333a47', raised = '#272c37', text = '#f3f5f8', quiet = '#a7afbd',
  denied = '#ffb9b1', deniedBack = '#3a2024', valid = '#8ce8b4', validBack = '#173425', told = '#f3f5f8', toldBack = '#222732',
}

function look.make(class, parent, properties)
  local made = Instance.new(class)
  for name, value in pairs(properties) do made[name] = value end
  made.Parent = parent
  return made
end

local function read(color)
  local r, g, b = match(type(color) == 'string' and color or '', '^#?(%x%x)(%x%x)(%x%x)$')
  if r then return { tonumber(r, 16), tonumber(g, 16), tonumber(b, 16) } end
  return try(function() return { color.R * 255, color.G * 255, color.B * 255 } end)
end

local function linear(value)
  local share = value / 255
  return share <= 0.04045 and share / 12.92 or ((share + 0.055) / 1.055) ^ 2.4
end

local function luminance(color)
  return 0.2126 * linear(color[1]) + 0.7152 * linear(color[2]) + 0.0722 * linear(color[3])
end

-- The contrast ratio defined by WCAG 2.2.
local function contrast(one, other)
  local low, high = luminance(one), luminance(other)
  if low > high then low, high = high, low end
  return (high + 0.05) / (low + 0.05)
end

-- Returns the nearest shade of `color` toward `far` that has this contrast with `against`.
local function shaded(color, far, against, least)
  for step = 0, 50 do
    local shade = {}
    for i = 1, 3 do shade[i] = color[i] + (far[i] - color[i]) * step / 50 end
    if contrast(shade, against) >= least then return shade end
  end
  return far
end

function look.palette(accent)
  local colors = {}
  for name, color in pairs(COLORS) do colors[name] = read(color) end
  local fill, ink = shaded(read(accent) or read(DEFAULT), WHITE, colors.card, 1.5), BLACK
  -- White text looks better on medium colors, so medium colors are darkened slightly.
  if contrast(fill, WHITE) >= 3 then fill, ink = shaded(fill, BLACK, WHITE, TEXT_CONTRAST), WHITE end
  colors.fill, colors.ink = fill, ink
  colors.accent = shaded(fill, WHITE, colors.deniedBack, TEXT_CONTRAST)
  for name, color in pairs(colors) do colors[name] = Color3.fromRGB(color[1], color[2], color[3]) end
  return colors
end

function look.measure(text, size, width)
  local wide, high = try(function()
    local bounds = platform('TextService'):GetTextSize(text, size, Enum.Font.GothamBold, Vector2.new(width, 10000))
    return bounds.X, ceil(bounds.Y)
  end)
  if wide then return wide, high end
  local whole = #text * size / 2
  return min(whole, width), ceil(whole / width) * size
end

-- Executors have a container that the game cannot see. Other hosts may allow CoreGui, or only the player's
-- own interface.
function look.show(gui)
  local function showIn(read)
    return pcall(function()
      local parent = read()
      local former = parent:FindFirstChild(gui.Name)
      if former then former:Destroy() end
      gui.Parent = parent
    end)
  end
  if showIn(function() return gethui() end) or showIn(function() return platform('CoreGui') end) then return end
  showIn(function() return platform('Players').LocalPlayer:WaitForChild('PlayerGui') end)
end

function look.viewport()
  local camera = try(function() return platform('Workspace').CurrentCamera end)
  local size = camera and camera.ViewportSize
  if size and size.X > 1 then return size.X, size.Y, camera end
  return 1280, 720, camera
end

return look
