import type { DenialWords } from './en.ts'

export const fr: DenialWords = {
  rate_limited: 'Trop de tentatives. Réessaie dans {wait}.',
  wrong_keys:
    'Trop de mauvaises clés ont été essayées depuis ton réseau. Vérifie script_key, puis réessaie dans {wait}.',
  outdated_loader: 'Ce loader n’est plus à jour. Récupère le nouveau là où tu as eu le script.',
  script_not_found: 'Ce script n’existe plus. Demande un nouveau loader à son auteur.',
  script_disabled: 'Ce script est désactivé pour l’instant. Réessaie plus tard.',
  service_unavailable: 'Ce script est indisponible pour l’instant. Réessaie plus tard.',
  invalid_key: 'Cette clé n’est pas valide pour ce script. Vérifie script_key.',
  no_key:
    'Il manque la clé. Mets script_key = "ta clé" au-dessus du loader, ou définis la variable SCRIPT_KEY.',
  typo: 'Il y a une faute de frappe dans cette clé. Vérifie script_key.',
  key_expired: 'Cette clé a expiré il y a {ago}. Prolonge-la ou prends-en une autre.',
  blacklisted: 'Cette clé ou cet appareil est bloqué.',
  blacklist_reason: 'Raison\u00a0: {reason}.',
  blacklist_end: 'Le blocage se termine dans {wait}.',
  executor_not_allowed: 'Ce script ne marche pas avec ton executor ({executor}). Utilises-en un autre.',
  fingerprint_mismatch: 'Cette clé est liée à un autre appareil.',
  reset_now: 'Réinitialise l’appareil sur la page de ta clé, puis relance le script.',
  reset_later: 'Tu pourras réinitialiser l’appareil dans {wait}, sur la page de ta clé.',
  reset_by_author: 'Demande à l’auteur du script de réinitialiser l’appareil.',
  fingerprint_missing:
    'Ton executor ({executor}) n’a pas de fonction gethwid qui marche, donc ton appareil ne peut pas être reconnu. Prends un autre executor ou demande de l’aide à l’auteur.',
  fingerprint_unreadable:
    'Ton appareil ne peut pas être reconnu\u00a0: io.open et io.popen n’ont pas pu lire son ID. Lance le script là où les deux marchent, ou demande de l’aide à l’auteur.',
  fingerprint_ambiguous:
    'Ton executor envoie plusieurs ID d’appareil. Désactive tout ce qui modifie ses requêtes, ou prends un autre executor.',
  max_executions: 'Il ne reste plus de lancements sur cette clé. Demandes-en d’autres à l’auteur du script.',
  max_instances:
    'Cette clé a déjà le nombre maximal de lancements en cours ({max}). Ferme-en un, au besoin sur la page de ta clé.',
  sessions_required:
    'Ce script a besoin de WebSocket, mais ton executor ({executor}) n’a pas WebSocket.connect. Prends-en un qui l’a.',
  chat_required: 'Lie d’abord ton compte Discord à cette clé.',
  join_required: 'Rejoins d’abord le serveur Discord de ce script.',
  link_and_join: 'Lie d’abord ton compte Discord à cette clé et rejoins le serveur Discord de ce script.',
  join_unknown:
    'Discord est injoignable pour l’instant, donc impossible de vérifier si tu es sur le serveur de ce script. Réessaie dans une minute.',
  key_paused: 'Cette clé est en pause. Demande à l’auteur du script de la réactiver.',
  not_in_plan: 'La formule de cette clé ne comprend pas ce script.',
  quota_spent: 'Il ne reste plus de lancements sur cette clé pour l’instant. Réessaie plus tard.',
  key_not_started: 'Cette clé n’est pas encore active. Réessaie plus tard.',
  network_locked:
    'Tu as eu cette clé sur un autre réseau. Utilise-la d’abord là-bas, ou déverrouille-la sur la page de ta clé.',

  link_get_key: 'Obtenir une clé',
  link_own_page: 'Ta clé',
  link_support: 'Aide',
}
