/**
 * The runtime behavior of Luau classes on hosts without classes: tables with metatables that raise the same
 * errors. The metatable that scripts see through `__metatable` distinguishes instances and classes from other
 * tables, even if they come from another protected script.
 */

/**
 * Lua code that sets `result` to a function that creates a class: `result(name, isOpen, isChild, parent,
 * fields, methods)`.
 */
export const makeClass = `
  do
    local meta, kind, fail, raw, set, text, step = getmetatable, type, error, rawget, setmetatable, tostring, next
    local put, replace, count = rawset, string.gsub, select
    local function factsOf(value, part)
      local facts = kind(value) == 'table' and meta(value)
      return kind(facts) == 'table' and raw(facts, 'luau') == part and facts
    end
    local function refuse(part, key)
      if kind(key) == 'string' then fail('this ' .. part .. " does not have a key named '" .. key .. "'", 3) end
      fail('cannot index ' .. part .. ' with a ' .. kind(key), 3)
    end
    local function named(part, metatable)
      return function(value)
        metatable.__tostring = nil
        local plain = replace(text(value), '^%a+', part)
        metatable.__tostring = named(part, metatable)
        return plain
      end
    end
    local function fails(part, sign)
      return function() fail('attempt to compare ' .. part .. ' ' .. sign .. ' ' .. part, 2) end
    end
    -- Lua 5.1 calls an operator only where both sides have the same function.
    local orders = {
      class = { fails('class', '<'), fails('class', '<=') },
      object = { fails('object', '<'), fails('object', '<=') },
    }
    local function ordered(metatable, part)
      if not metatable.__lt then
        metatable.__lt, metatable.__le = orders[part][1], metatable.__le or orders[part][2]
      end
      return metatable
    end
    local function inherit(class, parent, own)
      local super = factsOf(parent, 'class')
      if not super then fail('attempt to extend a ' .. kind(parent) .. ' value', 3) end
      super = super.facts
      if not super.isOpen then fail("Non-open class '" .. super.name .. "' cannot be extended", 3) end
      for i = 1, #super.fields do
        local field = super.fields[i]
        if own[field] then
          fail("Cannot override instance member '" .. field .. "' of parent class '" .. super.name ..
            "' in child class '" .. class.name .. "'", 3)
        end
        class.fields[i] = field
      end
      for key, value in step, super.statics do if not own[key] then class.statics[key] = value end end
      for key, value in step, super.operators do class.operators[key] = value end
      class.super, class.hasInit = super, super.hasInit
    end
    local function default(class)
      return function(...)
        local name = class.name
        if class.hasInit then
          fail('Class ' .. name .. ' must define a constructor because it is derived from a class that defines one', 2)
        end
        local self, values = ...
        if count('#', ...) ~= 2 then
          fail('The constructor of ' .. name .. ' must be called with 2 arguments.  Got ' .. count('#', ...), 2)
        end
        local facts = factsOf(self, 'object')
        if not facts then
          fail(name .. '.__init must be called with an instance of the class as its first argument', 2)
        end
        if facts ~= class then
          fail('Cannot call ' .. name .. '.__init on an instance of class ' .. facts.name, 2)
        end
        for i = 1, #class.fields do
          local field = class.fields[i]
          put(self, field, values[field])
        end
      end
    end
    local function instances(class)
      local isField, statics, members, metatable = {}, class.statics, {}, { __metatable = class }
      for i = 1, #class.fields do isField[class.fields[i]] = true end
      for key, value in step, statics do members[key] = value end
      for key, value in step, class.operators do metatable[key], class[key] = value, value end
      local equal = metatable.__eq
      if equal then
        metatable.__eq = function(a, b) return factsOf(a, 'object') == factsOf(b, 'object') and equal(a, b) end
      end
      local spell = metatable.__tostring
      metatable.__tostring = spell and function(self)
        local spelled = spell(self)
        if kind(spelled) ~= 'string' then fail("'__tostring' must return a string", 2) end
        return spelled
      end or named('object', metatable)
      metatable.__iter = metatable.__iter or function() fail('attempt to iterate over a object value', 2) end
      class.__iter = metatable.__iter
      metatable.__index = set(members, { __index = function(_, key)
        if not isField[key] then refuse('object', key) end
      end })
      metatable.__newindex = function(self, key, value)
        if isField[key] then put(self, key, value)
        elseif statics[key] then fail("attempt to index object with '" .. key .. "'", 2)
        else refuse('object', key) end
      end
      return ordered(metatable, 'object')
    end
    result = function(name, isOpen, isChild, parent, fields, methods)
      local class = { luau = 'object', name = name, isOpen = isOpen, fields = {}, statics = {}, operators = {} }
      local own = { new = true, __init = true }
      for i = 1, #fields do own[fields[i]] = true end
      for key in step, methods do own[key] = true end
      if isChild then inherit(class, parent, own) end
      for i = 1, #fields do class.fields[#class.fields + 1] = fields[i] end
      local statics = class.statics
      for key, value in step, methods do
        statics[key] = value
        if key == '__init' then class.hasInit = true
        elseif replace(key, '^__', '') ~= key then class.operators[key] = value end
      end
      local init = statics.__init or default(class)
      local metatable
      statics.__init = init
      statics.new = function(...)
        local self = set({}, metatable)
        init(self, ...)
        return self
      end
      metatable = instances(class)
      local facts = { luau = 'class', facts = class }
      local shown = { __metatable = facts }
      shown.__tostring = named('class', shown)
      shown.__index = function(_, key)
        local value = statics[key]
        if value then return value end
        refuse('class', key)
      end
      shown.__newindex = function(_, key) fail("attempt to index class with '" .. text(key) .. "'", 2) end
      shown.__call = function() fail('attempt to call a class value', 2) end
      shown.__iter = function() fail('attempt to iterate over a class value', 2) end
      facts.__iter = shown.__iter
      class.class = set({}, ordered(shown, 'class'))
      return class.class
    end
  end`

/** `type` and `typeof` with support for class instances and classes. */
export const classType = typeText('type')
export const classTypeof = typeText('typeof or type')

function typeText(name: string): string {
  return `
    do
      local meta, kind, raw, plain = getmetatable, type, rawget, ${name}
      result = function(...)
        local value = ...
        local facts = kind(value) == 'table' and meta(value)
        local part = kind(facts) == 'table' and raw(facts, 'luau')
        if part == 'object' or part == 'class' then return part end
        return plain(...)
      end
    end`
}

export const classLibrary = `
  do
    local meta, kind, raw, fail, count = getmetatable, type, rawget, error, select
    local function factsOf(value, part)
      local facts = kind(value) == 'table' and meta(value)
      return kind(facts) == 'table' and raw(facts, 'luau') == part and facts
    end
    result = {
      isinstance = function(...)
        local value, class = ...
        if count('#', ...) < 1 then fail("missing argument #1 to 'isinstance'", 2) end
        if count('#', ...) < 2 then fail("missing argument #2 to 'isinstance' (class expected)", 2) end
        local wanted = factsOf(class, 'class')
        if not wanted then
          local found = factsOf(class, 'object') and 'object' or kind(class)
          fail("invalid argument #2 to 'isinstance' (class expected, got " .. found .. ')', 2)
        end
        local facts = factsOf(value, 'object')
        while facts and facts ~= wanted.facts do facts = facts.super end
        return not not facts
      end,
      classof = function(...)
        if count('#', ...) < 1 then fail("missing argument #1 to 'classof'", 2) end
        local facts = factsOf((...), 'object')
        return facts and facts.class or nil
      end,
    }
  end`

/** The `#` operator for classes with `__len`. Lua 5.1 ignores that metamethod on tables. */
export const classLength = `
  do
    local meta, kind, raw = getmetatable, type, rawget
    result = function(value)
      local facts = kind(value) == 'table' and meta(value)
      local length = kind(facts) == 'table' and raw(facts, 'luau') == 'object' and facts.__len
      if length then return (length(value)) end
      return #value
    end
  end`
