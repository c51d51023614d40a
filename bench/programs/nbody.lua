-- N-body: field reads and writes of five records in float arithmetic.
local sqrt = math.sqrt
local PI = 3.141592653589793
local SOLAR_MASS = 4 * PI * PI
local DAYS = 365.24
local bodies = {
  { x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0, mass = SOLAR_MASS },
  { x = 4.84143144246472090, y = -1.16032004402742839, z = -0.103622044471123109,
    vx = 0.00166007664274403694 * DAYS, vy = 0.00769901118419740425 * DAYS, vz = -0.0000690460016972063023 * DAYS,
    mass = 0.000954791938424326609 * SOLAR_MASS },
  { x = 8.34336671824457987, y = 4.12479856412430479, z = -0.403523417114321381,
    vx = -0.00276742510726411899 * DAYS, vy = 0.00499852801234917238 * DAYS, vz = 0.0000230417297573763929 * DAYS,
    mass = 0.000285885980666130812 * SOLAR_MASS },
  { x = 12.8943695621391310, y = -15.1111514016986312, z = -0.223307578892655734,
    vx = 0.00296460137564761618 * DAYS, vy = 0.00237847173959480950 * DAYS, vz = -0.0000296589568540237556 * DAYS,
    mass = 0.0000436624404335156298 * SOLAR_MASS },
  { x = 15.3796971148509165, y = -25.9193146099879641, z = 0.179258772950371181,
    vx = 0.00268067772490389322 * DAYS, vy = 0.00162824170038242295 * DAYS, vz = -0.0000951592254519715870 * DAYS,
    mass = 0.0000515138902046611451 * SOLAR_MASS },
}
local function advance(bodies, nbody, dt)
  for i = 1, nbody do
    local bi = bodies[i]
    local bix, biy, biz, bimass = bi.x, bi.y, bi.z, bi.mass
    local bivx, bivy, bivz = bi.vx, bi.vy, bi.vz
    for j = i + 1, nbody do
      local bj = bodies[j]
      local dx, dy, dz = bix - bj.x, biy - bj.y, biz - bj.z
      local dist2 = dx * dx + dy * dy + dz * dz
      local mag = sqrt(dist2)
      mag = dt / (mag * dist2)
      local bm = bj.mass * mag
      bivx = bivx - (dx * bm)
      bivy = bivy - (dy * bm)
      bivz = bivz - (dz * bm)
      bm = bimass * mag
      bj.vx = bj.vx + (dx * bm)
      bj.vy = bj.vy + (dy * bm)
      bj.vz = bj.vz + (dz * bm)
    end
    bi.vx = bivx
    bi.vy = bivy
    bi.vz = bivz
    bi.x = bix + dt * bivx
    bi.y = biy + dt * bivy
    bi.z = biz + dt * bivz
  end
end
local function energy(bodies, nbody)
  local e = 0
  for i = 1, nbody do
    local bi = bodies[i]
    local vx, vy, vz, bim = bi.vx, bi.vy, bi.vz, bi.mass
    e = e + (0.5 * bim * (vx * vx + vy * vy + vz * vz))
    for j = i + 1, nbody do
      local bj = bodies[j]
      local dx, dy, dz = bi.x - bj.x, bi.y - bj.y, bi.z - bj.z
      e = e - ((bim * bj.mass) / sqrt(dx * dx + dy * dy + dz * dz))
    end
  end
  return e
end
print(string.format('%0.9f', energy(bodies, 5)))
for _ = 1, 60000 do advance(bodies, 5, 0.01) end
print(string.format('%0.9f', energy(bodies, 5)))
