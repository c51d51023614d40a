import type { DenialWords } from './en.ts'

export const es: DenialWords = {
  rate_limited: 'Demasiados intentos. Inténtalo de nuevo en {wait}.',
  wrong_keys:
    'Se probaron demasiadas keys incorrectas desde tu red. Revisa script_key e inténtalo de nuevo en {wait}.',
  outdated_loader: 'Este loader está desactualizado. Consigue el actual donde conseguiste el script.',
  script_not_found: 'Este script ya no existe. Pídele un loader nuevo al autor.',
  script_disabled: 'Este script está desactivado por ahora. Inténtalo más tarde.',
  service_unavailable: 'Este script no está disponible por ahora. Inténtalo más tarde.',
  invalid_key: 'Esta key no es válida para este script. Revisa script_key.',
  no_key: 'Falta la key. Pon script_key = "tu key" encima del loader o define la variable SCRIPT_KEY.',
  typo: 'Esta key está mal escrita. Revisa script_key.',
  key_expired: 'Esta key expiró hace {ago}. Extiéndela o consigue otra.',
  blacklisted: 'Esta key o este dispositivo está bloqueado.',
  blacklist_reason: 'Motivo: {reason}.',
  blacklist_end: 'El bloqueo termina en {wait}.',
  executor_not_allowed: 'Este script no es compatible con tu executor ({executor}). Usa otro.',
  fingerprint_mismatch: 'Esta key está vinculada a otro dispositivo.',
  reset_now: 'Resetea el dispositivo en la página de tu key y ejecuta el script de nuevo.',
  reset_later: 'Podrás resetear el dispositivo en {wait}, en la página de tu key.',
  reset_by_author: 'Pídele al autor del script que resetee el dispositivo.',
  fingerprint_missing:
    'Tu executor ({executor}) no tiene una función gethwid que funcione, así que no podemos identificar tu dispositivo. Usa otro executor o pídele ayuda al autor.',
  fingerprint_unreadable:
    'No podemos identificar tu dispositivo: io.open e io.popen no pudieron leer su ID. Ejecuta el script donde ambos funcionen o pídele ayuda al autor.',
  fingerprint_ambiguous:
    'Tu executor envía más de un ID de dispositivo. Desactiva lo que modifique sus solicitudes o usa otro executor.',
  max_executions: 'A esta key no le quedan ejecuciones. Pídele más al autor del script.',
  max_instances:
    'Esta key ya se está usando el máximo de veces ({max}). Cierra una ejecución o termínala en la página de tu key.',
  sessions_required:
    'Este script necesita WebSocket, pero tu executor ({executor}) no tiene WebSocket.connect. Usa uno que lo tenga.',
  chat_required: 'Primero vincula tu cuenta de Discord a esta key.',
  join_required: 'Primero únete al servidor de Discord de este script.',
  link_and_join:
    'Primero vincula tu cuenta de Discord a esta key y únete al servidor de Discord de este script.',
  join_unknown:
    'No se puede contactar con Discord, así que no podemos comprobar si estás en el servidor de este script. Inténtalo de nuevo en un minuto.',
  key_paused: 'Esta key está en pausa. Pídele al autor del script que la reanude.',
  not_in_plan: 'El plan de esta key no incluye este script.',
  quota_spent: 'A esta key no le quedan ejecuciones por ahora. Inténtalo más tarde.',
  key_not_started: 'Esta key aún no está activa. Inténtalo más tarde.',
  network_locked:
    'Conseguiste esta key en otra red. Úsala primero allí o desbloquéala en la página de tu key.',

  link_get_key: 'Conseguir una key',
  link_own_page: 'Tu key',
  link_support: 'Ayuda',
}
