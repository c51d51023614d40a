-- A miniature operating system: tasks with queues, states as strings, methods on objects.
local Task = {}
Task.__index = Task
local function newTask(id, priority, kind)
  return setmetatable({ id = id, priority = priority, kind = kind, state = 'ready', queue = {}, work = 0, held = 0 }, Task)
end
function Task:push(packet) self.queue[#self.queue + 1] = packet; if self.state == 'waiting' then self.state = 'ready' end end
function Task:pop() return table.remove(self.queue, 1) end
function Task:isRunnable() return self.state == 'ready' and self.held == 0 end
local Scheduler = {}
Scheduler.__index = Scheduler
function Scheduler.new() return setmetatable({ tasks = {}, moved = 0, waits = 0 }, Scheduler) end
function Scheduler:add(task) self.tasks[#self.tasks + 1] = task end
function Scheduler:send(id, packet) self.moved = self.moved + 1; self.tasks[id]:push(packet) end
function Scheduler:step(task)
  local packet = task:pop()
  if not packet then
    if task.kind == 'idle' then
      task.work = (task.work * 5 + 1) % 8191
      self:send(task.work % 3 + 2, { kind = task.work % 2 == 0 and 'device' or 'work', value = task.work })
    else
      task.state = 'waiting'
      self.waits = self.waits + 1
    end
  elseif packet.kind == 'work' then
    task.work = (task.work + packet.value * 7) % 65521
    if packet.value % 5 == 0 then self:send(task.id % 4 + 1, { kind = 'device', value = task.work }) end
  elseif packet.kind == 'device' then
    task.work = (task.work + packet.value) % 65521
    if task.work % 11 == 0 then task.held = 2 end
  end
end
function Scheduler:run(rounds)
  for _ = 1, rounds do
    for i = 1, #self.tasks do
      local task = self.tasks[i]
      if task:isRunnable() then self:step(task) elseif task.held > 0 then task.held = task.held - 1 end
    end
  end
end
local s = Scheduler.new()
for i, kind in ipairs({ 'idle', 'worker', 'handler', 'device' }) do s:add(newTask(i, i * 10, kind)) end
s:run(60000)
for _, task in ipairs(s.tasks) do print(task.id, task.kind, task.state, task.work, #task.queue) end
print('moved', s.moved, 'waits', s.waits)
