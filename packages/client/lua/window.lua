-- The key window of script hubs, which the library downloads when a hub opens it. The download includes the
-- window's messages and the project's branding. The hub's options take precedence.
local settings, tools, screen, terminal, times = ...
local host, words = tools.host, settings.words
local pcall, error, type, tostring = pcall, error, type, tostring
local try = host.try

-- Seconds for which the window shows that the key is valid.
local FAREWELL_SECONDS = 2

-- Hosts without threads can neither count down nor close the window later.
local function later(seconds, call)
  if not (host.spawn and host.wait) then return end
  host.spawn(function()
    host.wait(seconds)
    call()
  end)
end

-- Branding images are included in the window, because the game shows only files and its own assets.
local function imageOf(logo)
  if type(logo) == 'string' then return logo end
  if not settings.logo then return nil end
  return try(function()
    local name = 'scriptward-' .. settings.logo_file
    if not isfile(name) then tools.files.write(name, tools.base64.decode(settings.logo)) end
    return getcustomasset(name)
  end)
end

local function withOptions(options)
  local get_key = options.get_key
  if get_key == nil then get_key = settings.get_key end
  settings.title = type(options.title) == 'string' and options.title or settings.title
  settings.accent = options.accent or settings.accent
  settings.buy = type(options.buy) == 'string' and options.buy or nil
  settings.has = { get = get_key and true, buy = settings.buy ~= nil }
end

local function showOn(view, ward, known, result)
  local isBusy, isAccepted, turn, link = false, false, 0, nil

  local function say(kind, text, its)
    link = its
    view.say(kind, text, its and its.text)
  end

  -- Updates the remaining time until another message is shown.
  local function countDown(text, seconds, its)
    local mine, ends = turn, host.now() + seconds
    local function tick()
      say('denied', text .. '\n' .. times.retry(words, ends - host.now()), its)
    end
    local function next()
      if turn ~= mine or not view.isOpen() then return end
      tick()
      if ends > host.now() then later(1, next) end
    end
    tick()
    later(1, next)
  end

  local function deny(denied)
    local text, its = times.reason(words, denied), denied.link
    -- The get-key button opens the same page.
    if its and view.has.get and denied.reason == 'invalid_key' then its = nil end
    if denied.retry_in then countDown(text, denied.retry_in, its) else say('denied', text, its) end
  end

  -- Shows errors, and also raises them for the author's console.
  local function act(label, work)
    if isBusy or not view.isOpen() then return end
    isBusy, turn = true, turn + 1
    view.busy(label)
    local ok, problem = pcall(work)
    if ok and isAccepted then return end
    isBusy, isAccepted = false, false
    if view.isOpen() then
      view.busy(nil)
      if not ok then say('denied', words.window_failed .. '\n' .. tostring(problem)) end
    end
    if not ok then error(problem, 0) end
  end

  local function accept(valid, key)
    say('valid', times.valid(words, valid))
    view.busy(words.window_loading)
    isAccepted = true
    -- Closes the window without waiting for the script, which may run as long as the game.
    later(FAREWELL_SECONDS, function()
      if isAccepted then view.close() end
    end)
    tools.accept(valid, key)
  end

  local function check()
    act(words.window_checking, function()
      local key = host.text(view.field.Text)
      if not key then return say('told', words.window_empty) end
      local checked = ward.check(key)
      if not view.isOpen() then return end
      if not checked.ok then return deny(checked) end
      ward.remember(key)
      accept(checked, key)
    end)
  end

  local function offer(url, how)
    if how == 'copied' then return say('told', words.window_copied) end
    say('told', how == 'opened' and words.window_opened or words.window_visit .. '\n' .. url)
  end

  local function hand(url)
    if isBusy then return end
    turn = turn + 1
    offer(url, tools.hand(url))
  end

  local function on(object, call)
    object.Activated:Connect(call)
  end

  on(view.buttons.check, check)
  on(view.buttons.close, function() view.close() end)
  on(view.buttons.buy, function() hand(settings.buy) end)
  on(view.buttons.link, function() if link then hand(link.url) end end)
  on(view.buttons.paste, function()
    local pasted = host.text(try(function() return getclipboard() end))
    if pasted then view.field.Text = pasted end
  end)
  on(view.buttons.get, function()
    act(words.window_check, function()
      local url, how = ward.get_key()
      if url then offer(url, how) else say('denied', how) end
    end)
  end)
  for i = 1, #view.links do on(view.links[i], function() hand(settings.links[i].url) end) end
  view.field.FocusLost:Connect(function(isEntered) if isEntered then check() end end)

  view.field.Text = known or ''
  if known and result then deny(result) end
end

return function(ward, options, known, result)
  withOptions(options)
  if not host.hasScreen then return terminal(settings, ward, known, result) end
  settings.image = imageOf(options.logo)
  settings.has.paste = type(try(function() return getclipboard end)) == 'function'
  local view = screen(settings)
  view.has = settings.has
  showOn(view, ward, known, result)
end
