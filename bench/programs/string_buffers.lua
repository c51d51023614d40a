-- String buffers: concat, format, rep, reverse, upper, gsub over many small strings.
local words = { 'lorem', 'ipsum', 'dolor', 'sit', 'amet', 'consectetur', 'adipiscing', 'elit' }
local total, hash = 0, 7
for round = 1, 2000 do
  local buffer = {}
  for i = 1, 60 do
    local word = words[(i * round) % #words + 1]
    if i % 5 == 0 then
      buffer[#buffer + 1] = string.format('%s-%03d', word, i)
    elseif i % 7 == 0 then
      buffer[#buffer + 1] = word:upper() .. ':' .. word:reverse()
    else
      buffer[#buffer + 1] = word .. '_' .. i .. ';'
    end
  end
  local text = table.concat(buffer, ', ')
  local replaced, count = text:gsub('(%a+)_(%d+)', '%2=%1')
  total = total + #replaced + count
  for piece in replaced:gmatch('[^,]+') do
    hash = (hash * 33 + #piece + piece:byte(-1)) % 2147483
  end
  if text:find('amet_4;', 1, true) then total = total + 1 end
end
print('string_buffers', total, hash, ('ab'):rep(5, nil))
