-- Removes private data from an error's text before it leaves the host (client protocol, Errors).
--   scrub(name, sources)    name: the script's; sources(): the user's key or nil, and a list of values,
--                           in which every string at any depth is private
--   (text, limit)           the text that may be sent, of at most that many bytes
local isUtf8 = ...
local type, next, select = type, next, select
local byte, find, format, gsub, lower = string.byte, string.find, string.format, string.gsub, string.lower
local match, sub, concat, min, max = string.match, string.sub, table.concat, math.min, math.max

-- The rest of a longer text is ignored to limit the cost.
local MAX_INPUT = 4096
local MAX_PART_LENGTH = 80
-- Any part of the key with this length is as private as the key. Values shorter than SHORTEST_VALUE are too
-- common to hide.
local KEY_PART, SHORTEST_VALUE = 8, 4
-- Longer values are searched for in pieces, so that the end of a truncated text contains at most one piece.
local PIECE = 64
local MAX_DEPTH = 32
-- Smaller numbers are probably amounts rather than IDs.
local SMALLEST_ID = 1e5

-- Control characters stand in for removed text until the end, so that no rule matches the final replacements.
local OWN, KEY, VALUE, PATH, LONG, SCHEME = '\1', '\2', '\3', '\4', '\5', '\6'
local WORDS = { [KEY] = '<key>', [VALUE] = '<ward>', [PATH] = '<path>', [LONG] = '\226\128\166', [SCHEME] = '://' }

local QUOTES = '["\'`]'
-- Patterns for the start of a path, including the character before it, which cannot be part of a relative
-- path.
local PATHS = {
  '[^%w._%-)%]]()/[^ "\'`]',
  '%A()%a:[\\/]',
  '.()\\\\[^ \\]',
  '[^%w._%-)%]\\:]()\\[%w.][^ "\'`]*\\',
  '.()~[%w_.-]*[/\\]',
  -- Lua shortens a long file path to its end.
  '.()%.%.%.[^ "\'`]*[/\\]',
}

local function printable(text)
  return (gsub(gsub(text, '[\t\n\r]', ' '), '[%z\1-\31\127]', '?'))
end

local function lengthOf(text)
  local _, continued = gsub(text, '[\128-\191]', '')
  return #text - continued
end

-- Truncates a text without splitting a character.
local function cut(text, limit)
  if #text <= limit then return text end
  return (gsub(sub(text, 1, limit), '[\194-\244][\128-\191]*$', ''))
end

local function addText(starts, text)
  text = lower(printable(text))
  for from = 1, #text, PIECE do
    -- The last piece overlaps the previous one, because a short piece would hide too much.
    local last = min(#text, from + PIECE - 1)
    local piece = sub(text, last - from < PIECE - 1 and max(1, last - PIECE + 1) or from, last)
    local head = sub(piece, 1, SHORTEST_VALUE)
    starts[head] = starts[head] or {}
    starts[head][piece] = true
  end
end

-- Collects the strings in a value by their first characters. Never runs the script's metamethods.
local function addValue(starts, value, depth, seen)
  if type(value) == 'string' then
    if #value >= SHORTEST_VALUE then addText(starts, value) end
  elseif type(value) == 'number' then
    if value >= SMALLEST_ID and value % 1 == 0 then addText(starts, format('%.0f', value)) end
  elseif type(value) == 'table' and depth < MAX_DEPTH and not seen[value] then
    seen[value] = true
    for _, member in next, value do addValue(starts, member, depth + 1, seen) end
  end
end

local function partsOf(key)
  if #key < SHORTEST_VALUE then return {}, 0 end
  local parts, size = {}, min(KEY_PART, #key)
  for i = 1, #key - size + 1 do parts[sub(key, i, i + size - 1)] = true end
  return parts, size
end

local function hideValues(text, key, values)
  local low, hidden = lower(text), {}
  local parts, size = partsOf(lower(key))
  local starts, seen = {}, {}
  for i = 1, #values do addValue(starts, values[i], 0, seen) end

  local function hide(from, count, mark)
    for i = from, from + count - 1 do hidden[i] = hidden[i] == KEY and KEY or mark end
  end

  for i = 1, #low do
    if size > 0 and parts[sub(low, i, i + size - 1)] then hide(i, size, KEY) end
    for piece in next, starts[sub(low, i, i + SHORTEST_VALUE - 1)] or {} do
      if sub(low, i, i + #piece - 1) == piece then hide(i, #piece, VALUE) end
    end
  end
  return hidden
end

-- Replaces each hidden range with one character.
local function without(text, hidden, last)
  local kept, count = {}, 0
  for i = 1, last do
    if not hidden[i] or hidden[i] ~= hidden[i - 1] then
      count = count + 1
      kept[count] = hidden[i] or sub(text, i, i)
    end
  end
  return concat(kept)
end

-- Keeps only the scheme and the host.
local function hideInUrl(scheme, rest)
  local host = match(rest, '^[^/?#]*')
  local isMore = #host < #rest
  return scheme .. SCHEME .. (match(host, '@([^@]*)$') or host) .. (isMore and PATH or '')
end

-- `nearest` caches each pattern's next match, or false, so that no part of the text is searched twice.
local function pathStart(text, from, nearest)
  local start
  for i = 1, #PATHS do
    local at = nearest[i]
    if at == nil or at and at < from then
      at = select(3, find(text, PATHS[i], max(1, from - 1)))
      nearest[i] = at or false
    end
    if at and (not start or at < start) then start = at end
  end
  return start
end

-- A quoted path ends at its quote. An unquoted path may contain spaces, so it continues if the next word also contains
-- a separator.
local function pathEnd(text, start)
  local quote = match(sub(text, start - 1, start - 1), QUOTES)
  local close = quote and find(text, quote, start, true)
  if close then return close - 1 end
  local last = (find(text, '[ "\'`]', start) or #text + 1) - 1
  while not find(sub(text, last, last), '[:,;)]') do
    local _, further = find(text, '^ +[^ "\'`]*[\\/][^ "\'`]*', last + 1)
    if not further then break end
    last = further
  end
  return last
end

local function hidePaths(text)
  text = ' ' .. text
  local parts, from, nearest = {}, 1, {}
  local start = pathStart(text, from, nearest)
  while start do
    local last = pathEnd(text, start)
    local path = sub(text, start, last)
    parts[#parts + 1] = sub(text, from, start - 1) .. PATH .. (match(path, ':%d+:?$') or match(path, '[:,;)%]]*$'))
    from = last + 1
    start = pathStart(text, from, nearest)
  end
  return sub(concat(parts) .. sub(text, from), 2)
end

-- At the end of a truncated text, an unclosed quote other than `'`, which may be an apostrophe, counts as
-- open.
local function hideLongQuotes(text, isCut)
  local parts, from = {}, 1
  local start = find(text, QUOTES)
  while start do
    local quote = sub(text, start, start)
    local close = find(text, quote, start + 1, true)
    if not close and isCut and quote ~= "'" then close = #text + 1 end
    if close and lengthOf(sub(text, start + 1, close - 1)) > MAX_PART_LENGTH then
      parts[#parts + 1] = sub(text, from, start) .. LONG .. quote
      from = close + 1
    end
    start = find(text, QUOTES, (close or start) + 1)
  end
  return concat(parts) .. sub(text, from)
end

local function hideLongWord(word)
  if lengthOf(word) > MAX_PART_LENGTH then return LONG end
end

return function(name, sources)
  name = printable(name)
  -- Positions in the script stay in the text, because the server translates them. Hosts shorten a long name.
  local own = '%f[%w_]' .. gsub(sub(name, 1, 59), '%p', '%%%0')
  if not find(name, '^[%w_]') then own = gsub(sub(name, 1, 59), '%p', '%%%0') end
  local words = { [OWN] = sub(name, 1, 59) .. ':' }
  for mark, word in next, WORDS do words[mark] = word end

  return function(text, limit)
    local isCut = #text > MAX_INPUT
    text = printable(cut(text, MAX_INPUT))
    text = gsub(text, own .. ':(%d+)', OWN .. '%1')
    local key, values = sources()
    text = without(text, hideValues(text, key or '', values), isCut and #text - PIECE or #text)
    text = gsub(text, '(%a[%w+.-]*)://([^ "\'`<>|]*)', hideInUrl)
    text = gsub(hideLongQuotes(hidePaths(text), isCut), '[^ ]+', hideLongWord)
    text = gsub(text, '[\1-\6]', words)
    text = cut(isUtf8(text) and text or gsub(text, '[\128-\255]', '?'), limit)
    return text
  end
end
