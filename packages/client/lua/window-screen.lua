-- The key window as Instances: a card that fits portrait and landscape screens.
--   screen(settings)      { title, accent, image, words, links, has = { paste, get, buy } }
--     .field              the TextBox for the key
--     .buttons            check, get, buy, paste, close and link, as TextButtons
--     .links              TextButtons, in the order of the settings
--     .say(kind, text, link)   shows a message: 'told', 'denied' or 'valid', with the text of a link; no arguments hide it
--     .busy(text)         the text of the check button during a request, or nil
--     .isOpen()  .close()
local tools, look = ...
local ipairs, min, max = ipairs, math.min, math.max
local make = look.make

-- Minimum size in pixels of a touch target.
local ROW, TOUCH = 48, 44
local TEXT, SMALL, TITLE = 18, 17, 22
local LINE_HEIGHT = 1.2
-- Widths of the card on tall and short screens, and the height below which a screen counts as short.
local NARROW, WIDE, LOW = 420, 600, 480
local MAX_LINKS = 3

local function offset(x, y)
  return UDim2.fromOffset(x, y)
end

local function place(object, x, y, width, height)
  object.Position, object.Size, object.Visible = offset(x, y), offset(width, height), true
end

local function round(object, radius, edge)
  make('UICorner', object, { CornerRadius = UDim.new(0, radius) })
  if not edge then return end
  return make('UIStroke', object, { Color = edge, Thickness = 1, ApplyStrokeMode = Enum.ApplyStrokeMode.Border })
end

local function styled(text, color, size, isBold)
  return {
    Text = text, TextColor3 = color, TextSize = size, BackgroundTransparency = 1, BorderSizePixel = 0,
    Font = isBold and Enum.Font.GothamBold or Enum.Font.Gotham, TextTruncate = Enum.TextTruncate.AtEnd,
  }
end

local function label(parent, text, color, size, isBold)
  local made = make('TextLabel', parent, styled(text, color, size, isBold))
  made.TextXAlignment = Enum.TextXAlignment.Left
  return made
end

local function button(parent, text, color, back, size)
  local made = make('TextButton', parent, styled(text, color, size or TEXT, true))
  made.AutoButtonColor, made.Visible = true, false
  if back then
    made.BackgroundColor3, made.BackgroundTransparency = back, 0
    round(made, 10)
  end
  return made
end

local function textBox(parent, colors, text)
  local made = make('TextBox', parent, styled('', colors.text, TEXT))
  made.ClearTextOnFocus, made.TextXAlignment = false, Enum.TextXAlignment.Left
  made.PlaceholderText, made.PlaceholderColor3 = text, colors.quiet
  return made
end

local function draw(settings, colors)
  local gui = Instance.new('ScreenGui')
  gui.Name, gui.ResetOnSpawn, gui.IgnoreGuiInset, gui.AutoLocalize = 'ScriptwardWindow', false, true, false
  gui.DisplayOrder, gui.ZIndexBehavior = 1000000, Enum.ZIndexBehavior.Sibling
  local middle = Vector2.new(0.5, 0.5)
  local holder = make('Frame', gui, { BackgroundTransparency = 1, AnchorPoint = middle, Position = UDim2.fromScale(0.5, 0.5) })
  -- Draws a shadow.
  for i = 1, 7 do
    local shade = make('Frame', holder, {
      BackgroundColor3 = Color3.new(0, 0, 0), BackgroundTransparency = 0.95, BorderSizePixel = 0,
      Position = offset(-2 * i, 3 - 2 * i), Size = UDim2.new(1, 4 * i, 1, 4 * i),
    })
    round(shade, 16 + 2 * i)
  end
  local card = make('Frame', holder, {
    Name = 'Card', BackgroundColor3 = colors.card, BorderSizePixel = 0, Active = true, ZIndex = 2,
    Size = UDim2.fromScale(1, 1),
  })
  round(card, 16, colors.edge)
  return { gui = gui, holder = holder, card = card, scale = make('UIScale', holder, { Scale = 1 }) }
end

local function fill(view, settings, colors)
  local card, words = view.card, settings.words
  view.title = label(card, settings.title, colors.text, TITLE, true)
  view.lead = label(card, words.window_lead, colors.quiet, SMALL)
  if settings.image then
    view.logo = make('ImageLabel', card, { Image = settings.image, BackgroundTransparency = 1, ScaleType = Enum.ScaleType.Fit })
    round(view.logo, 10)
  end
  view.box = make('Frame', card, { BackgroundColor3 = colors.field, BorderSizePixel = 0 })
  local edge = round(view.box, 10, colors.edge)
  view.field = textBox(view.box, colors, words.window_field)
  view.field.Focused:Connect(function() edge.Color = colors.accent end)
  view.field.FocusLost:Connect(function() edge.Color = colors.edge end)
  view.panel = make('Frame', card, { BorderSizePixel = 0, Visible = false })
  round(view.panel, 10)
  -- Text in a TextBox can be selected, such as a URL that the host cannot copy.
  view.message = textBox(view.panel, colors, '')
  view.message.TextEditable, view.message.TextWrapped, view.message.MultiLine = false, true, true
  view.message.LineHeight, view.message.TextTruncate = LINE_HEIGHT, Enum.TextTruncate.None
  view.buttons = {
    check = button(card, words.window_check, colors.ink, colors.fill),
    get = button(card, words.window_get, colors.text, colors.raised),
    buy = button(card, words.window_buy, colors.text, colors.raised),
    paste = button(view.box, words.window_paste, colors.accent, nil, SMALL),
    -- The label is a multiplication sign. `Modal` releases the mouse in games that lock it.
    close = button(card, '\195\151', colors.quiet, nil, 28),
    link = button(card, '', colors.text, colors.text),
  }
  view.buttons.close.Modal, view.buttons.link.BackgroundTransparency = true, 0.86
  view.links = {}
  for i, link in ipairs(settings.links) do
    if i <= MAX_LINKS then view.links[i] = button(card, link.title, colors.quiet, nil, SMALL) end
  end
end

-- The functions below place the parts of the card from top to bottom. `at` has the card's width, padding, gap
-- and free height.

-- Places buttons in a row with equal widths or, if a label is too long for that, stacks them.
local function row(at, buttons, y, height)
  local each, fits = (at.inner - at.gap * (#buttons - 1)) / #buttons, true
  for _, one in ipairs(buttons) do fits = fits and look.measure(one.Text, one.TextSize, 1000) <= each - 12 end
  for i, one in ipairs(buttons) do
    if fits then place(one, at.pad + (i - 1) * (each + at.gap), y, each, height)
    else place(one, at.pad, y + (i - 1) * (height + at.gap), at.inner, height) end
  end
  return y + height + (fits and 0 or (#buttons - 1) * (height + at.gap))
end

local function header(view, at)
  local left = view.logo and at.pad + TOUCH + 12 or at.pad
  if view.logo then place(view.logo, at.pad, at.pad, TOUCH, TOUCH) end
  local room = at.width - left - TOUCH - 12
  place(view.title, left, at.pad, room, 24)
  place(view.lead, left, at.pad + 24, room, 20)
  place(view.buttons.close, at.width - TOUCH - 8, 8, TOUCH, TOUCH)
  return at.pad + TOUCH + at.gap + 4
end

local function keyRow(view, at, y, has)
  local check, paste = view.buttons.check, view.buttons.paste
  local side = max(150, 32 + look.measure(check.Text, TEXT, 1000))
  local box = at.isWide and at.inner - side - at.gap or at.inner
  local pasteWidth = has.paste and max(TOUCH, 28 + look.measure(paste.Text, SMALL, 1000)) or 0
  place(view.box, at.pad, y, box, ROW)
  place(view.field, 14, 0, box - (has.paste and 14 + pasteWidth or 28), ROW)
  if has.paste then place(paste, box - pasteWidth, 2, pasteWidth, TOUCH) end
  if not at.isWide then return row(at, { check }, y + ROW + at.gap, ROW) end
  place(check, at.pad + box + at.gap, y, side, ROW)
  return y + ROW
end

-- A message's link is at its end or, on short screens, next to the other buttons.
local function panel(view, at, y)
  if not view.panel.Visible then return y end
  local width = at.inner - 28
  local _, height = look.measure(view.message.Text, TEXT, width)
  height = height * LINE_HEIGHT + 4
  local whole = height + 24
  place(view.message, 14, 12, width, height)
  if view.hasLink and not at.isWide then
    place(view.buttons.link, at.pad + 14, y + at.gap + whole, width, TOUCH)
    whole = whole + TOUCH + 14
  end
  place(view.panel, at.pad, y + at.gap, at.inner, whole)
  return y + at.gap + whole
end

local function links(view, at, y)
  local isShown = #view.links > 0 and y + TOUCH + 12 <= at.room
  local each = at.inner / #view.links
  for i, link in ipairs(view.links) do
    place(link, at.pad + (i - 1) * each, y + 4, each, TOUCH)
    link.Visible = isShown
  end
  return y + (isShown and TOUCH + 12 or at.pad)
end

local function arrange(view, has)
  local screenWidth, screenHeight = look.viewport()
  local isWide = screenHeight < LOW
  local at = { isWide = isWide, pad = isWide and 16 or 20, gap = isWide and 10 or 12, room = screenHeight - 16 }
  at.width = min(isWide and WIDE or NARROW, screenWidth - 24)
  at.inner = at.width - 2 * at.pad
  local y = keyRow(view, at, header(view, at), has)
  local others = {}
  for _, name in ipairs({ 'get', 'buy' }) do
    if has[name] then others[#others + 1] = view.buttons[name] end
  end
  if view.hasLink and isWide then others[#others + 1] = view.buttons.link end
  if #others > 0 then y = row(at, others, y + at.gap, ROW) end
  local height = links(view, at, panel(view, at, y))
  view.holder.Size = offset(at.width, height)
  -- Large screens get a larger window. Only the longest messages on the smallest screens make it smaller.
  local most = min(at.room / height, (screenWidth - 16) / at.width)
  view.scale.Scale = min(max(1, min(2, screenHeight / 900)), most)
end

local function isPressed(input)
  local kind = input.UserInputType.Name
  return kind == 'MouseButton1' or kind == 'Touch'
end

-- Lets the user drag the window by the card, with a mouse or finger.
local function drag(view, inputs, hold)
  local from, start
  view.card.InputBegan:Connect(function(input)
    if isPressed(input) then from, start = input.Position, view.holder.Position end
  end)
  hold(inputs.InputChanged:Connect(function(input)
    local kind = input.UserInputType.Name
    if not from or kind ~= 'MouseMovement' and kind ~= 'Touch' then return end
    local moved = input.Position - from
    view.holder.Position = start + offset(moved.X, moved.Y)
  end))
  hold(inputs.InputEnded:Connect(function(input)
    if isPressed(input) then from = nil end
  end))
end

return function(settings)
  local colors, held = look.palette(settings.accent), {}
  local view = draw(settings, colors)
  fill(view, settings, colors)

  local function hold(connection)
    held[#held + 1] = connection
  end

  local function fit()
    arrange(view, settings.has)
  end

  function view.isOpen()
    return view.gui.Parent ~= nil
  end

  function view.close()
    for i = 1, #held do held[i]:Disconnect() end
    view.gui:Destroy()
  end

  function view.say(kind, text, link)
    view.panel.Visible, view.message.Text, view.buttons.link.Text = kind ~= nil, text or '', link or ''
    view.buttons.link.Visible, view.hasLink = false, link ~= nil
    if kind then view.panel.BackgroundColor3, view.message.TextColor3 = colors[kind .. 'Back'], colors[kind] end
    fit()
  end

  function view.busy(text)
    local check = view.buttons.check
    check.Text = text or settings.words.window_check
    for _, object in ipairs({ check, view.buttons.get, view.buttons.buy }) do
      object.AutoButtonColor, object.BackgroundTransparency = text == nil, text and 0.65 or 0
    end
    check.TextColor3 = text and colors.text or colors.ink
    view.field.TextEditable = text == nil
  end

  local inputs = tools.host.platform('UserInputService')
  if inputs then drag(view, inputs, hold) end
  view.gui.Destroying:Connect(view.close)
  fit()
  look.show(view.gui)
  local _, _, camera = look.viewport()
  if camera then
    hold(camera:GetPropertyChangedSignal('ViewportSize'):Connect(function()
      view.holder.Position = UDim2.fromScale(0.5, 0.5)
      fit()
    end))
  end
  return view
end
