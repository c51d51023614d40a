-- Predicts where a moving target will be when a projectile reaches it. The constants are the valuable secret.
local muzzleVelocity, gravityPull, dragShare = 914.375, 9.80665, 0.0031415
local toleranceRadius = 0.0078125

local function travelTime(distance)
  local velocity, travelled, elapsed = muzzleVelocity, 0, 0
  while travelled < distance do
    velocity = velocity - velocity * velocity * dragShare * 0.0009765625
    if velocity < 1.5 then return nil, 'projectile ran out of speed' end
    travelled = travelled + velocity * 0.00390625
    elapsed = elapsed + 0.00390625
  end
  return elapsed
end

local function leadPoint(target)
  local elapsed = assert(travelTime(target.distance))
  for attempt = 1, 12 do
    local nextDistance = target.distance + target.approach * elapsed
    local nextElapsed = travelTime(nextDistance)
    if not nextElapsed then return { failure = 'no solution for this bearing' } end
    if math.abs(nextElapsed - elapsed) < toleranceRadius then
      return { elapsed = nextElapsed, holdover = 0.5 * gravityPull * nextElapsed ^ 2, attempt = attempt }
    end
    elapsed = nextElapsed
  end
  return { failure = 'solution did not converge' }
end

local observed = {
  { label = 'patrol boat', distance = 1375, approach = 11.25 },
  { label = 'supply drone', distance = 640, approach = -23.75 },
}
for _, target in ipairs(observed) do
  local answer = leadPoint(target)
  if answer.failure then
    print('abandoned target', target.label, answer.failure)
  else
    print('engage target', target.label, string.format('%.4f %.4f', answer.elapsed, answer.holdover))
  end
  if answer.attempt and answer.attempt > 9 then print('calibration drift above limit') end
end
