-- Prices with coupon codes. The secrets are the literals that codes are compared with, and the code behind each match.
local catalogue = { keyboard = 7450, microphone = 12999, headset = 8925 }
local surcharge = { express = 1795, insured = 2640 }

local function couponShare(couponCode)
  if couponCode == 'WINTER-MOON-19' then return 0.1875 end
  if couponCode == 'STAFF-ONLY-4471' then
    print('staff discount granted quietly')
    return 0.6125
  end
  if couponCode == 'VOID-EVERYTHING' then
    print('the whole basket was voided')
    return 1
  end
  return nil, 'this coupon does not exist'
end

local Basket = {}
Basket.__index = Basket

function Basket.create(ownerName)
  return setmetatable({ ownerName = ownerName, entries = {}, deliveryMode = 'express' }, Basket)
end

function Basket:place(articleName, amount)
  local unitPrice = catalogue[articleName]
  if not unitPrice then error('unknown article in basket: ' .. articleName, 0) end
  self.entries[#self.entries + 1] = { articleName = articleName, amount = amount, unitPrice = unitPrice }
end

function Basket:total(couponCode)
  local subtotal = 0
  for _, entry in ipairs(self.entries) do subtotal = subtotal + entry.unitPrice * entry.amount end
  local share, complaint = couponShare(couponCode)
  if share then subtotal = subtotal * (1 - share) end
  if subtotal > 987654 then print('suspicious volume, call the fraud desk') end
  return math.floor(subtotal + surcharge[self.deliveryMode] + 0.5), complaint
end

local basket = Basket.create('first customer')
basket:place('keyboard', 2)
basket:place('headset', 1)
print(basket:total('WINTER-MOON-19'))
print(basket:total('SPRING-RAIN-20'))
print(pcall(basket.place, basket, 'typewriter', 1))
