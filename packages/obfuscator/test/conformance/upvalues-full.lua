-- Tests that a function that already has as many upvalues as its host allows keeps its strings and globals
-- unprotected.
local function make()
  local u1 = 1
  local u2 = 2
  local u3 = 3
  local u4 = 4
  local u5 = 5
  local u6 = 6
  local u7 = 7
  local u8 = 8
  local u9 = 9
  local u10 = 10
  local u11 = 11
  local u12 = 12
  local u13 = 13
  local u14 = 14
  local u15 = 15
  local u16 = 16
  local u17 = 17
  local u18 = 18
  local u19 = 19
  local u20 = 20
  local u21 = 21
  local u22 = 22
  local u23 = 23
  local u24 = 24
  local u25 = 25
  local u26 = 26
  local u27 = 27
  local u28 = 28
  local u29 = 29
  local u30 = 30
  local u31 = 31
  local u32 = 32
  local u33 = 33
  local u34 = 34
  local u35 = 35
  local u36 = 36
  local u37 = 37
  local u38 = 38
  local u39 = 39
  local u40 = 40
  local u41 = 41
  local u42 = 42
  local u43 = 43
  local u44 = 44
  local u45 = 45
  local u46 = 46
  local u47 = 47
  local u48 = 48
  local u49 = 49
  local u50 = 50
  local u51 = 51
  local u52 = 52
  local u53 = 53
  local u54 = 54
  local u55 = 55
  local u56 = 56
  local u57 = 57
  local u58 = 58
  local u59 = 59
  local u60 = 60
  return function() return u1 + u2 + u3 + u4 + u5 + u6 + u7 + u8 + u9 + u10 + u11 + u12 + u13 + u14 + u15 + u16 + u17 + u18 + u19 + u20 + u21 + u22 + u23 + u24 + u25 + u26 + u27 + u28 + u29 + u30 + u31 + u32 + u33 + u34 + u35 + u36 + u37 + u38 + u39 + u40 + u41 + u42 + u43 + u44 + u45 + u46 + u47 + u48 + u49 + u50 + u51 + u52 + u53 + u54 + u55 + u56 + u57 + u58 + u59 + u60, 'plain', 12345, tostring('x') end
end
print(make()())
