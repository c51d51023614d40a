import type { DenialWords } from './en.ts'

export const fil: DenialWords = {
  rate_limited: 'Masyado nang maraming attempt. Subukan ulit pagkatapos ng {wait}.',
  wrong_keys:
    'Masyado nang maraming maling key mula sa network mo. I-check ang script_key, tapos subukan ulit pagkatapos ng {wait}.',
  outdated_loader: 'Luma na ang loader na ito. Kunin ang bago kung saan mo nakuha ang script.',
  script_not_found: 'Wala na ang script na ito. Humingi ng bagong loader sa gumawa ng script.',
  script_disabled: 'Naka-disable muna ang script na ito. Subukan ulit mamaya.',
  service_unavailable: 'Hindi available ang script na ito ngayon. Subukan ulit mamaya.',
  invalid_key: 'Hindi valid ang key na ito para sa script. I-check ang script_key.',
  no_key:
    'Walang key. Ilagay ang script_key = "key mo" sa itaas ng loader, o i-set ang variable na SCRIPT_KEY.',
  typo: 'May typo ang key na ito. I-check ang script_key.',
  key_expired: '{ago} nang expired ang key na ito. I-extend ito, o kumuha ng bago.',
  blacklisted: 'Naka-block ang key o device na ito.',
  blacklist_reason: 'Dahilan: {reason}.',
  blacklist_end: 'Matatapos ang block pagkatapos ng {wait}.',
  executor_not_allowed: 'Hindi suportado ng script na ito ang executor mo ({executor}). Gumamit ng iba.',
  fingerprint_mismatch: 'Sa ibang device naka-bind ang key na ito.',
  reset_now: 'I-reset ang device sa page ng key mo, tapos patakbuhin ulit ang script.',
  reset_later: 'Puwede mong i-reset ang device pagkatapos ng {wait}, sa page ng key mo.',
  reset_by_author: 'Makiusap sa gumawa ng script na i-reset ang device.',
  fingerprint_missing:
    'Walang gumaganang gethwid ang executor mo ({executor}), kaya hindi makilala ang device mo. Gumamit ng ibang executor, o magpatulong sa gumawa ng script.',
  fingerprint_unreadable:
    'Hindi makilala ang device mo: hindi mabasa ng io.open at io.popen ang ID nito. Patakbuhin ang script kung saan gumagana ang dalawa, o magpatulong sa gumawa nito.',
  fingerprint_ambiguous:
    'Higit sa isang device ID ang ipinapadala ng executor mo. I-off ang anumang nagbabago ng mga request nito, o gumamit ng iba.',
  max_executions: 'Ubos na ang mga run ng key na ito. Humingi pa sa gumawa ng script.',
  max_instances:
    'Naabot na ng key na ito ang limit ng sabay na run ({max}). Isara ang isa, o tapusin ito sa page ng key mo.',
  sessions_required:
    'Kailangan ng script ang WebSocket, pero walang WebSocket.connect ang executor mo ({executor}). Gumamit ng mayroon nito.',
  chat_required: 'I-link muna ang Discord account mo sa key na ito.',
  join_required: 'Sumali muna sa Discord server ng script na ito.',
  link_and_join: 'I-link muna ang Discord account mo sa key na ito at sumali sa Discord server ng script.',
  join_unknown:
    'Hindi maabot ang Discord ngayon, kaya hindi ma-check kung nasa server ka ng script na ito. Subukan ulit pagkalipas ng isang minuto.',
  key_paused: 'Naka-pause ang key na ito. Makiusap sa gumawa ng script na ituloy ito.',
  not_in_plan: 'Hindi kasama ang script na ito sa plan ng key.',
  quota_spent: 'Ubos na muna ang mga run ng key na ito. Subukan ulit mamaya.',
  key_not_started: 'Hindi pa aktibo ang key na ito. Subukan ulit mamaya.',
  network_locked:
    'Sa ibang network nakuha ang key na ito. Gamitin muna ito roon, o i-unlock sa page ng key mo.',

  link_get_key: 'Kumuha ng key',
  link_own_page: 'Ang key mo',
  link_support: 'Tulong',
}
