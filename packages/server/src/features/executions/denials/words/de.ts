import type { DenialWords } from './en.ts'

export const de: DenialWords = {
  rate_limited: 'Zu viele Versuche. Warte {wait} und versuch es dann noch einmal.',
  wrong_keys:
    'Aus deinem Netz kamen zu viele falsche Schlüssel. Prüfe script_key, warte {wait} und versuch es dann noch einmal.',
  outdated_loader: 'Dieser Loader ist veraltet. Hol dir den aktuellen dort, wo du das Skript herhast.',
  script_not_found: 'Dieses Skript gibt es nicht mehr. Frag den Autor nach einem neuen Loader.',
  script_disabled: 'Dieses Skript ist gerade abgeschaltet. Versuch es später noch einmal.',
  service_unavailable: 'Dieses Skript ist gerade nicht verfügbar. Versuch es später noch einmal.',
  invalid_key: 'Dieser Schlüssel gilt nicht für dieses Skript. Prüfe script_key.',
  no_key:
    'Kein Schlüssel angegeben. Schreib script_key = "dein Schlüssel" über den Loader oder setz die Variable SCRIPT_KEY.',
  typo: 'Dieser Schlüssel enthält einen Tippfehler. Prüfe script_key.',
  key_expired: 'Dieser Schlüssel ist schon {ago} abgelaufen. Verlängere ihn oder hol dir einen neuen.',
  blacklisted: 'Dieser Schlüssel oder dieses Gerät ist gesperrt.',
  blacklist_reason: 'Grund: {reason}.',
  blacklist_end: 'Die Sperre dauert noch {wait}.',
  executor_not_allowed: 'Dieses Skript unterstützt deinen Executor ({executor}) nicht. Nimm einen anderen.',
  fingerprint_mismatch: 'Dieser Schlüssel ist an ein anderes Gerät gebunden.',
  reset_now: 'Löse das Gerät auf der Seite deines Schlüssels und starte das Skript neu.',
  reset_later: 'Warte {wait}, dann kannst du das Gerät auf der Seite deines Schlüssels lösen.',
  reset_by_author: 'Bitte den Autor des Skripts, das Gerät zu lösen.',
  fingerprint_missing:
    'Dein Gerät ist nicht erkennbar: gethwid funktioniert in deinem Executor ({executor}) nicht. Nimm einen anderen oder bitte den Autor, solche Geräte zu erlauben.',
  fingerprint_unreadable:
    'Dein Gerät ist nicht erkennbar: io.open und io.popen lesen keine Geräte-ID. Starte das Skript dort, wo beide gehen, oder bitte den Autor, solche Geräte zu erlauben.',
  fingerprint_ambiguous:
    'Dein Executor sendet mehr als eine Geräte-ID. Schalte alles ab, was seine Anfragen ändert, oder nimm einen anderen.',
  max_executions: 'Für diesen Schlüssel sind keine Starts übrig. Frag den Autor des Skripts nach mehr.',
  max_instances:
    'Dieser Schlüssel läuft schon so oft wie erlaubt ({max}). Schließ ein Skript oder beende es auf der Seite deines Schlüssels.',
  sessions_required:
    'Dieses Skript braucht WebSocket, aber dein Executor ({executor}) hat kein WebSocket.connect. Nimm einen, der es hat.',
  chat_required: 'Verknüpfe zuerst dein Discord-Konto mit diesem Schlüssel.',
  join_required: 'Tritt zuerst dem Discord-Server des Skripts bei.',
  link_and_join:
    'Verknüpfe zuerst dein Discord-Konto mit diesem Schlüssel und tritt dem Discord-Server des Skripts bei.',
  key_paused: 'Dieser Schlüssel ist pausiert. Bitte den Autor des Skripts, ihn fortzusetzen.',
  not_in_plan: 'Der Plan dieses Schlüssels enthält dieses Skript nicht.',
  quota_spent: 'Für diesen Schlüssel sind die Starts vorerst aufgebraucht. Versuch es später noch einmal.',
  key_not_started: 'Dieser Schlüssel gilt noch nicht. Versuch es später noch einmal.',
  network_locked:
    'Du hast diesen Schlüssel in einem anderen Netz bekommen. Benutze ihn zuerst dort, oder gib ihn auf der Seite deines Schlüssels frei.',

  link_get_key: 'Schlüssel holen',
  link_own_page: 'Dein Schlüssel',
  link_support: 'Hilfe',
}
