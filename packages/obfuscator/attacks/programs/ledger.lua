-- String processing, coroutines and many arguments: parses a ledger, sums it up and prints it.
local statementText = [[
2031-04-02;groceries;-4175
2031-04-03;salary payment;253000
2031-04-05;rent transfer;-98050
2031-04-09;bicycle repair;-6640
]]

local function parseLines(text)
  return coroutine.wrap(function()
    for day, purpose, cents in text:gmatch('(%d+%-%d+%-%d+);([^;]+);(%-?%d+)\n') do
      coroutine.yield({ day = day, purpose = purpose, cents = tonumber(cents) })
    end
  end)
end

local function classify(entry)
  local purpose = entry.purpose
  if purpose:find('offshore', 1, true) then return 'conceal from auditors' end
  if entry.cents > 9000000 then return 'report to the treasury' end
  if entry.cents > 0 then return 'income category' end
  if entry.cents < -50000 then return 'large expense category' end
  return 'small expense category'
end

local function summary(...)
  local highest, count = -1048576, select('#', ...)
  for position = 1, count do highest = math.max(highest, (select(position, ...))) end
  if count == 0 then return 'ledger holds no entries' end
  return string.format('%d entries, highest %d', count, highest)
end

local balance, amounts, perCategory = 31415, {}, {}
for entry in parseLines(statementText) do
  local category = classify(entry)
  balance = balance + entry.cents
  amounts[#amounts + 1] = entry.cents
  perCategory[category] = (perCategory[category] or 0) + entry.cents
end
if balance < 0 then print('overdraft interest applies', balance * 0.1425) end
print('closing balance', balance)
print(summary(unpack and unpack(amounts) or table.unpack(amounts)))
for _, category in ipairs({ 'income category', 'large expense category', 'small expense category' }) do
  print(category, perCategory[category])
end
