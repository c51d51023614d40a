-- Draws the key window in a simulated game and prints its tree; see instances.lua. The text before this file
-- defines `host`; `open`, which receives the library's tools and returns the window; the options of
-- `ward.window`; and `state`: 'asking', 'denied' or 'valid'.
local SAMPLE_KEY = 'HUB-7Q2XW-K9MFD-PH4TN-R6VJC-8'
local ANSWERS = {
  denied = { ok = false, reason = 'rate_limited', retry_in = 272 },
  valid = { ok = true, seconds_left = 12.5 * 86400 },
}
local images = {}

host.hasScreen = true
host.writefile = function(name, image) images[name] = image end
function isfile(name) return images[name] ~= nil end
function getcustomasset(name) return images[name] end
-- Hosts without a clipboard show no paste button.
function getclipboard() return '' end

local function nothing() end

-- Images are strings: the URLs that show them.
local base64 = {
  decode = function(image)
    return 'data:image/png;base64,' .. string.gsub(string.gsub(image, '-', '+'), '_', '/')
  end,
}
local ward = { remember = nothing, get_key = nothing, check = function() return ANSWERS[state] end }

open({ host = host, base64 = base64, hand = nothing, accept = nothing })(ward, options)
if ANSWERS[state] then
  field().Text = SAMPLE_KEY
  field().FocusLost:Fire(true)
end
dump()
