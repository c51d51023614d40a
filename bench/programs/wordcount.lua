-- Word frequencies: globals, string methods, sorting with a comparison function.
text = ('It was the best of times it was the worst of times it was the age of wisdom '):rep(1200)
counts = {}
function count(words)
  for word in string.gmatch(words, '%a+') do
    word = string.lower(word)
    counts[word] = (counts[word] or 0) + 1
  end
end
for _ = 1, 12 do count(text) end
local list = {}
for word, n in pairs(counts) do list[#list + 1] = { word = word, n = n } end
for round = 1, 2000 do
  table.sort(list, function(a, b)
    if a.n ~= b.n then return a.n > b.n end
    return a.word < b.word
  end)
  if round < 2000 then list[1], list[#list] = list[#list], list[1] end
end
for i = 1, #list do print(list[i].word, list[i].n, math.floor(list[i].n / 7), string.rep('*', math.min(i, 5))) end
