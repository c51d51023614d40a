-- Reads the game's IDs and language, and requests the hub URL again with them. IDs have up to 15 digits so
-- far, which Lua 5.1's `tostring` would round. Each access is guarded, because none of these names exist on
-- hosts without a game.
local code, kept = ...

local function id(name)
  local ok, value = pcall(function() return string.format('%.0f', game[name]) end)
  return ok and value or '0'
end

local function language()
  local ok, tag = pcall(function()
    return game:GetService('LocalizationService').RobloxLocaleId:match('^%a%a%a?')
  end)
  return ok and tag or nil
end

return function(url, ...)
  local wish, tag = kept.wish(), language()
  local address = url .. 'place=' .. id('PlaceId') .. '&game=' .. id('GameId')
  if tag then address = address .. '&lang=' .. tag end
  if wish then address = address .. '&cache=' .. wish end
  return code.fetch({ address })(...)
end
