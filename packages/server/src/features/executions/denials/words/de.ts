import type { DenialWords } from './en.ts'

export const de: DenialWords = {
  rate_limited: 'Zu viele Versuche. Warte {wait} und versuch es dann noch einmal.',
  wrong_keys:
    'Aus deinem Netzwerk kamen zu viele falsche Keys. Prüfe script_key, warte {wait} und versuch es dann noch einmal.',
  outdated_loader: 'Dieser Loader ist veraltet. Hol dir den aktuellen dort, wo du das Script herhast.',
  script_not_found: 'Dieses Script gibt es nicht mehr. Frag den Autor nach einem neuen Loader.',
  script_disabled: 'Dieses Script ist gerade abgeschaltet. Versuch es später noch einmal.',
  service_unavailable: 'Dieses Script ist gerade nicht verfügbar. Versuch es später noch einmal.',
  invalid_key: 'Dieser Key ist für dieses Script nicht gültig. Prüfe script_key.',
  no_key:
    'Kein Key angegeben. Schreib script_key = "dein Key" über den Loader oder setz die Variable SCRIPT_KEY.',
  typo: 'Dieser Key enthält einen Tippfehler. Prüfe script_key.',
  key_expired: 'Dieser Key ist schon {ago} abgelaufen. Verlängere ihn oder hol dir einen neuen.',
  blacklisted: 'Dieser Key oder dieses Gerät ist gesperrt.',
  blacklist_reason: 'Grund: {reason}.',
  blacklist_end: 'Die Sperre dauert noch {wait}.',
  executor_not_allowed: 'Dieses Script unterstützt deinen Executor ({executor}) nicht. Nimm einen anderen.',
  fingerprint_mismatch: 'Dieser Key ist an ein anderes Gerät gebunden.',
  reset_now: 'Setz das Gerät auf der Seite deines Keys zurück und starte das Script dann neu.',
  reset_later: 'Warte {wait}, dann kannst du das Gerät auf der Seite deines Keys zurücksetzen.',
  reset_by_author: 'Bitte den Autor des Scripts, das Gerät zurückzusetzen.',
  fingerprint_missing:
    'Dein Gerät lässt sich nicht erkennen: gethwid funktioniert in deinem Executor ({executor}) nicht. Nimm einen anderen oder bitte den Autor, solche Geräte zu erlauben.',
  fingerprint_unreadable:
    'Dein Gerät lässt sich nicht erkennen: io.open und io.popen lesen keine Geräte-ID. Nimm eine Umgebung, in der beide gehen, oder bitte den Autor, solche Geräte zu erlauben.',
  fingerprint_ambiguous:
    'Dein Executor sendet mehr als eine Geräte-ID. Schalte alles ab, was seine Anfragen ändert, oder nimm einen anderen.',
  max_executions: 'Für diesen Key sind keine Starts übrig. Frag den Autor des Scripts nach mehr.',
  max_instances:
    'Mit diesem Key läuft schon die maximale Anzahl an Scripts ({max}). Schließ eins oder beende es auf der Seite deines Keys.',
  sessions_required:
    'Dieses Script braucht WebSocket, aber dein Executor ({executor}) hat kein WebSocket.connect. Nimm einen, der es hat.',
  chat_required: 'Verknüpfe zuerst deinen Discord-Account mit diesem Key.',
  join_required: 'Tritt zuerst dem Discord-Server des Scripts bei.',
  link_and_join:
    'Verknüpfe zuerst deinen Discord-Account mit diesem Key und tritt dem Discord-Server des Scripts bei.',
  join_unknown:
    'Discord ist gerade nicht erreichbar, deshalb lässt sich nicht prüfen, ob du auf dem Discord-Server des Scripts bist. Versuch es gleich noch einmal.',
  key_paused: 'Dieser Key ist pausiert. Bitte den Autor des Scripts, die Pause aufzuheben.',
  not_in_plan: 'Dieses Script ist im Plan deines Keys nicht enthalten.',
  quota_spent: 'Für diesen Key sind die Starts vorerst aufgebraucht. Versuch es später noch einmal.',
  key_not_started: 'Dieser Key ist noch nicht aktiv. Versuch es später noch einmal.',
  network_locked:
    'Du hast diesen Key in einem anderen Netzwerk bekommen. Benutze ihn zuerst dort oder schalte ihn auf der Seite deines Keys frei.',

  link_get_key: 'Key holen',
  link_own_page: 'Dein Key',
  link_support: 'Hilfe',
}
