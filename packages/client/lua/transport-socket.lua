-- Sends requests with LuaSocket, and LuaSec for https (client protocol §15). See transport.lua for the
-- results.
--   .send(method, url, body, seconds)
--   .usable(url)         whether the libraries that the URL needs are available
--   .certificates()      path of a CA bundle, or nil
local host = ...
local pcall, type, tostring = pcall, type, tostring
local match, concat = string.match, table.concat

local CA_FILES = { '/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem' }

local function certificates()
  local named = host.variable('SSL_CERT_FILE')
  if named then return named end
  for i = 1, #CA_FILES do
    if host.read(CA_FILES[i]) then return CA_FILES[i] end
  end
end

-- Both libraries store their timeout in the module, and the script may have set its own.
local function withTimeout(modules, request, seconds)
  local before = {}
  for i = 1, #modules do before[i], modules[i].TIMEOUT = modules[i].TIMEOUT, seconds end
  local ok, answer, status = pcall(modules[1].request, request)
  for i = 1, #modules do modules[i].TIMEOUT = before[i] end
  if ok and answer then return status end
  return nil, tostring(ok and status or answer)
end

local function socketRequest(method, url, body)
  local parts = {}
  local rest = body
  local request = {
    url = url,
    method = method,
    redirect = false,
    headers = {
      -- This transport can handle any bytes in a response.
      accept = 'application/octet-stream',
      ['content-type'] = body and 'text/plain',
      ['content-length'] = body and tostring(#body),
    },
    sink = function(part)
      parts[#parts + 1] = part
      return 1
    end,
    source = body and function()
      local part = rest
      rest = nil
      return part
    end,
  }
  return request, parts
end

-- Returns the modules that a URL needs, starting with the one to call; nothing if one of them is missing.
local function modulesFor(url)
  if not (host.require and host.package) then return nil end
  local ok, http = pcall(host.require, 'socket.http')
  if not ok or not match(url, '^https:') then return ok and { http } or nil end
  local secure, https = pcall(host.require, 'ssl.https')
  return secure and { https, http } or nil
end

local function bySocket(method, url, body, seconds)
  local modules = modulesFor(url)
  if not modules then return false end
  local request, parts = socketRequest(method, url, body)
  if #modules > 1 then
    request.redirect = nil
    request.cafile = certificates()
    request.verify = request.cafile and 'peer' or 'none'
  end
  local status, problem = withTimeout(modules, request, seconds)
  if type(status) ~= 'number' then return nil, problem or tostring(status) end
  return status, concat(parts)
end

return { send = bySocket, certificates = certificates, usable = modulesFor }
