-- Identifiers of a machine whose files, commands and environment can be read (client protocol §14). They are raw
-- values for environment.lua only, and any of them may be missing.
local host = ...
local match = string.match
local machine = {}

function machine.id(system)
  local id = host.read('/etc/machine-id') or host.read('/var/lib/dbus/machine-id')
  if id then return id end
  if system == 'windows' then
    local answer = host.run([[reg query HKLM\SOFTWARE\Microsoft\Cryptography /v MachineGuid 2>nul]])
    return match(answer or '', 'MachineGuid%s+REG_SZ%s+(%S+)')
  end
  if system == 'macos' then
    local answer = host.run('ioreg -rd1 -c IOPlatformExpertDevice 2>/dev/null')
    return match(answer or '', '"IOPlatformUUID" = "([^"]+)"')
  end
end

function machine.product(system)
  local id = host.read('/sys/class/dmi/id/product_uuid')
  if id or system ~= 'windows' then return id end
  return match(host.run('wmic csproduct get uuid 2>nul') or '', 'UUID%s+(%S+)')
end

function machine.weak()
  return {
    hostname = host.variable('COMPUTERNAME') or host.variable('HOSTNAME'),
    cpu = host.variable('PROCESSOR_IDENTIFIER') or match(host.read('/proc/cpuinfo') or '', 'model name%s*:%s*([^\n]+)'),
    os_user = host.variable('USER') or host.variable('USERNAME'),
  }
end

return machine
