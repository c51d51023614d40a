-- The script's `ward` table, and changes to it while the script runs.
--   view(grant, call)        call: runs a handler like pcall
--     .ward
--     .set(vars, seconds)    applies values from the server, or nil if none have changed, with the seconds left or nil;
--                            returns the changes
--     .tell(changes)         notifies the script of them
local host, json = ...
local ipairs, pairs, type, tonumber = ipairs, pairs, type, tonumber
local max, ceil = math.max, math.ceil

-- Fields of `ward` that may change while the script runs.
local CHANGING = { 'chat_id', 'note', 'script_name', 'plan', 'in_grace', 'status' }
local GROUPS = { 'features', 'vars' }
local LABELS = { 'tags', 'metadata' }

-- Returns whether two JSON values are equal.
local function isSame(a, b)
  if a == b or type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
  for key, value in pairs(a) do
    if not isSame(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function describe(grant)
  local vars = grant.vars
  return {
    is_premium = vars.is_premium,
    executions = vars.executions,
    chat_id = vars.chat_id,
    note = vars.note,
    script_name = vars.script_name,
    script_version = grant.script.version,
    plan = vars.plan,
    in_grace = vars.in_grace == true,
    status = vars.status,
    features = {},
    vars = {},
    tags = {},
    supports_sessions = vars.supports_sessions,
    null = json.null,
  }
end

return function(grant, call)
  local ward, expires = describe(grant), nil
  local view = { ward = ward }
  -- Scripts may overwrite or remove any field of `ward`, so these values are kept here.
  local groups, announcement = { features = ward.features, vars = ward.vars }, nil

  -- Keeps each group's table, so that a script can hold a reference to it.
  local function setGroup(group, given, changes)
    local held, found = groups[group], {}
    for name, value in pairs(held) do
      if not isSame(given[name], value) then found[#found + 1] = { name, given[name], value } end
    end
    for name, value in pairs(given) do
      if held[name] == nil then found[#found + 1] = { name, value } end
    end
    for _, change in ipairs(found) do
      held[change[1]] = change[2]
      changes[#changes + 1] = { group .. '.' .. change[1], change[2], change[3] }
    end
  end

  local function setAnnouncement(given, changes)
    local old = announcement
    if (given and given.id) == (old and old.id) then return end
    announcement, ward.announcement = given, given
    changes[#changes + 1] = { 'announcement', given, old }
  end

  -- Creates a new list for each change, so that `old` remains the previous value.
  local function setLabels(vars, changes)
    local given = { tags = vars.tags or {}, metadata = vars.metadata }
    for _, name in ipairs(LABELS) do
      local value, old = given[name], ward[name]
      if not isSame(value, old) then
        ward[name] = value
        changes[#changes + 1] = { name, value, old }
      end
    end
  end

  -- A missing group has not changed, or the server is too old to send it.
  function view.set(vars, seconds)
    local changes = {}
    expires = seconds and host.now() + seconds
    if not vars then return changes end
    for _, name in ipairs(CHANGING) do
      local value, old = vars[name], ward[name]
      if value ~= old then
        ward[name] = value
        changes[#changes + 1] = { name, value, old }
      end
    end
    for _, group in ipairs(GROUPS) do
      if vars[group] then setGroup(group, vars[group], changes) end
    end
    setAnnouncement(vars.announcement, changes)
    setLabels(vars, changes)
    return changes
  end

  -- Errors in the script's handlers are reported but not raised.
  function view.tell(changes)
    for _, change in ipairs(changes) do
      if ward.on_change then call(ward.on_change, change[1], change[2], change[3]) end
      local isNews = change[1] == 'announcement' and change[2]
      if isNews and ward.on_announcement then call(ward.on_announcement, change[2]) end
    end
  end

  function ward.seconds_left()
    return expires and max(0, ceil(expires - host.now())) or math.huge
  end

  -- Returns a feature's limit: its number, infinity for true, otherwise 0.
  function ward.limit(name)
    local value = ward.features[name]
    if value == true then return math.huge end
    return tonumber(value) or 0
  end

  return view
end
