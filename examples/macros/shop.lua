-- Macros are plain function calls. Without these fallbacks, the file would not run unprotected. Protection
-- removes the fallbacks.
if not WARD_OBFUSCATED then
  WARD_NO_VIRTUALIZE, WARD_JIT = function(f) return f end, function(f) return f end
  WARD_ENCSTR, WARD_ENCNUM = function(text) return text end, function(number) return number end
end

local prices = { sword = WARD_ENCNUM(120), shield = 80 }

-- Called every frame, so it must be as fast as plain Lua. Its names, strings and numbers are still hidden.
local sum = WARD_NO_VIRTUALIZE(function(items)
  local total = 0
  for _, item in ipairs(items) do total = total + prices[item] end
  return total
end)

-- The innermost loop stays native; the rest is virtualized.
local discount = WARD_JIT(function(total)
  for limit = 100, 300, 100 do
    if total < limit then return total end
    total = total - 10
  end
  return total
end)

print(WARD_ENCSTR("to pay:"), discount(sum({ "sword", "shield" })))
