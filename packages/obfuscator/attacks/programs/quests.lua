-- Objects with inheritance and closures: a game's logic, with stages that this run does not reach.
local Creature = {}
Creature.__index = Creature
function Creature.spawn(title, vigour, armour)
  return setmetatable({ title = title, vigour = vigour, armour = armour, trophies = {} }, Creature)
end
function Creature:wound(strength)
  local harm = math.max(0, strength - self.armour)
  self.vigour = self.vigour - harm
  return self.vigour <= 0
end

local Dragon = setmetatable({}, { __index = Creature })
Dragon.__index = Dragon
function Dragon.awaken(title)
  local dragon = setmetatable(Creature.spawn(title, 3750, 85), Dragon)
  dragon.enraged = false
  return dragon
end
function Dragon:wound(strength)
  if self.vigour < 500 and not self.enraged then
    self.enraged = true
    print('the dragon becomes enraged')
  end
  if self.enraged and strength > 6666 then return false, 'scales deflect the mortal blow' end
  return Creature.wound(self, strength)
end

local function questOf(hero, luckNumber)
  local stage = 'village gate'
  local moves = {}
  moves['village gate'] = function()
    return hero.vigour > 1200 and 'mountain pass' or 'healer cottage'
  end
  moves['healer cottage'] = function()
    hero.vigour = hero.vigour + 1333
    return 'mountain pass'
  end
  moves['mountain pass'] = function()
    if luckNumber == 777777 then return 'hidden treasury' end
    return 'dragon lair'
  end
  moves['hidden treasury'] = function()
    hero.trophies[#hero.trophies + 1] = 'crown of the drowned king'
    return 'dragon lair'
  end
  return function()
    local here = stage
    stage = moves[here] and moves[here]() or nil
    return here
  end
end

local hero = Creature.spawn('wandering knight', 1100, 40)
for place in questOf(hero, 4242) do print('arrived at', place) end
local dragon, blows = Dragon.awaken('old ember wing'), 0
repeat
  blows = blows + 1
  local slain = dragon:wound(450)
until slain or blows > 5000
print(hero.title, 'needed blows', blows, dragon.vigour)
