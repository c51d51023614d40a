/**
 * Example scripts. Each script prints something, so that outputs can be compared, and contains loops, so that
 * run times can be measured.
 */

const SHOP = `-- A shop with secret prices and a coupon that nobody should find.
local prices = { lantern = 1249.5, compass = 2310, telescope = 8875.25 }
local coupon = 'seven grey herons'

local function discount(word, plan)
  if word == coupon then return 0.35 end
  if plan == 'lifetime' then return 0.2 end
  return 0
end

local function total(cart, word, plan)
  local sum = 0
  for name, count in pairs(cart) do
    sum = sum + prices[name] * count
  end
  return math.floor(sum * (1 - discount(word, plan)) * 100) / 100
end

local cart = { lantern = 3, compass = 1 }
print('guest', total(cart, '', 'free'))
print('lifetime', total(cart, '', 'lifetime'))

-- Two thousand carts, to see how much slower the protected script is.
local checksum = 0
for i = 1, 2000 do
  cart.lantern = i % 7
  checksum = (checksum + total(cart, '', i % 2 == 0 and 'lifetime' or 'free')) % 65521
end
print('checksum', checksum)
`

const ROUTE = `-- The next stop of a route: the tables are what people would copy.
local stops = {
  { name = 'north harbor', x = 1180.5, y = -442.75 },
  { name = 'glass bridge', x = 96.25, y = 2071.5 },
  { name = 'old mill', x = -1533.75, y = 618.125 },
}

local function distance(a, b)
  return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local function nearest(from, visited)
  local best, least = nil, math.huge
  for i, stop in ipairs(stops) do
    local far = distance(from, stop)
    if not visited[i] and far < least then
      best, least = i, far
    end
  end
  return best
end

local position, visited = { x = 0, y = 0 }, {}
for step = 1, #stops do
  local i = nearest(position, visited)
  visited[i], position = true, stops[i]
  print(step, stops[i].name)
end

local sum = 0
for i = 1, 5000 do
  sum = sum + nearest({ x = i % 2000, y = i % 700 }, {})
end
print('visits', sum)
`

const EXECUTOR = `-- A script for an executor. Here, the game and its objects exist but do nothing.
local Players = game:GetService('Players')
local player = Players.LocalPlayer
local accent = Color3.fromRGB(59, 91, 219)

local commands = {
  heal = function(amount) return 'restored ' .. amount .. ' health' end,
  teleport = function(place) return 'moved to ' .. place end,
}

local function run(line)
  local name, argument = line:match('^/(%w+)%s*(.*)$')
  local command = commands[name]
  if not command then return 'unknown command: ' .. line end
  return command(argument)
end

print('Hello, ' .. player.Name)
for _, line in { '/heal 25', '/teleport north harbor', '/fly' } do
  print(run(line))
end

task.wait(0.1)
warn('three commands are done')
`

export const EXAMPLES = { shop: SHOP, route: ROUTE, executor: EXECUTOR } as const
