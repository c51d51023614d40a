-- A small stack machine: dispatch on string opcodes and records.
local program = {
  { op = 'push', value = 0 }, { op = 'store', value = 'sum' }, { op = 'push', value = 300000 }, { op = 'store', value = 'i' },
  { op = 'load', value = 'i' }, { op = 'jumpzero', value = 15 },
  { op = 'load', value = 'sum' }, { op = 'load', value = 'i' }, { op = 'add' }, { op = 'store', value = 'sum' },
  { op = 'load', value = 'i' }, { op = 'push', value = 1 }, { op = 'sub' }, { op = 'storejump', value = 'i', target = 5 },
  { op = 'halt' },
}
local function run(code)
  local stack, top, vars, pc, steps = {}, 0, {}, 1, 0
  while true do
    local instruction = code[pc]
    local op = instruction.op
    pc = pc + 1
    steps = steps + 1
    if op == 'push' then
      top = top + 1
      stack[top] = instruction.value
    elseif op == 'load' then
      top = top + 1
      stack[top] = vars[instruction.value]
    elseif op == 'store' then
      vars[instruction.value] = stack[top]
      top = top - 1
    elseif op == 'add' then
      stack[top - 1] = stack[top - 1] + stack[top]
      top = top - 1
    elseif op == 'sub' then
      stack[top - 1] = stack[top - 1] - stack[top]
      top = top - 1
    elseif op == 'jumpzero' then
      if stack[top] == 0 then pc = instruction.value end
      top = top - 1
    elseif op == 'storejump' then
      vars[instruction.value] = stack[top]
      top = top - 1
      pc = instruction.target
    elseif op == 'halt' then
      return vars.sum, steps
    end
  end
end
print('interpreter', run(program))
