-- Checks whether a string is valid UTF-8.
local find, gsub = string.find, string.gsub

-- Characters of more than one byte (RFC 3629). A string is UTF-8 if only ASCII remains after they are
-- removed.
local CHARACTERS = {
  '[\194-\223][\128-\191]',
  '\224[\160-\191][\128-\191]',
  '\237[\128-\159][\128-\191]',
  '[\225-\236\238\239][\128-\191][\128-\191]',
  '\240[\144-\191][\128-\191][\128-\191]',
  '\244[\128-\143][\128-\191][\128-\191]',
  '[\241-\243][\128-\191][\128-\191][\128-\191]',
}

return function(text)
  for i = 1, #CHARACTERS do text = gsub(text, CHARACTERS[i], ' ') end
  return not find(text, '[\128-\255]')
end
