import type { DenialWords } from './en.ts'

export const pt: DenialWords = {
  rate_limited: 'Muitas tentativas. Tente de novo em {wait}.',
  wrong_keys:
    'Foram testadas keys erradas demais na sua rede. Confira o script_key e tente de novo em {wait}.',
  outdated_loader: 'Este loader está desatualizado. Pegue o atual onde você conseguiu o script.',
  script_not_found: 'Este script não existe mais. Peça um loader novo ao autor.',
  script_disabled: 'Este script está desativado no momento. Tente mais tarde.',
  service_unavailable: 'Este script está indisponível no momento. Tente mais tarde.',
  invalid_key: 'Esta key não é válida para este script. Confira o script_key.',
  no_key: 'Faltou a key. Coloque script_key = "sua key" acima do loader ou defina a variável SCRIPT_KEY.',
  typo: 'Esta key tem um erro de digitação. Confira o script_key.',
  key_expired: 'Esta key expirou há {ago}. Estenda ou pegue uma nova.',
  blacklisted: 'Esta key ou este dispositivo está bloqueado.',
  blacklist_reason: 'Motivo: {reason}.',
  blacklist_end: 'O bloqueio acaba em {wait}.',
  executor_not_allowed: 'Este script não funciona no seu executor ({executor}). Use outro.',
  fingerprint_mismatch: 'Esta key está vinculada a outro dispositivo.',
  reset_now: 'Resete o dispositivo na página da sua key e rode o script de novo.',
  reset_later: 'Você vai poder resetar o dispositivo em {wait}, na página da sua key.',
  reset_by_author: 'Peça ao autor do script para resetar o dispositivo.',
  fingerprint_missing:
    'Seu executor ({executor}) não tem uma função gethwid que funcione, então não dá para identificar seu dispositivo. Use outro executor ou fale com o autor.',
  fingerprint_unreadable:
    'Não dá para identificar seu dispositivo: io.open e io.popen não conseguiram ler o ID dele. Rode o script onde os dois funcionem ou fale com o autor.',
  fingerprint_ambiguous:
    'Seu executor envia mais de um ID de dispositivo. Desligue o que altera as solicitações dele ou use outro executor.',
  max_executions: 'As execuções desta key acabaram. Peça mais ao autor do script.',
  max_instances:
    'Esta key já está rodando o máximo de vezes ({max}). Feche uma execução ou encerre na página da sua key.',
  sessions_required:
    'Este script precisa de WebSocket, mas seu executor ({executor}) não tem WebSocket.connect. Use um que tenha.',
  chat_required: 'Primeiro vincule sua conta do Discord a esta key.',
  join_required: 'Primeiro entre no servidor do Discord deste script.',
  link_and_join:
    'Primeiro vincule sua conta do Discord a esta key e entre no servidor do Discord deste script.',
  join_unknown:
    'Não dá para acessar o Discord agora, então não conseguimos ver se você está no servidor deste script. Tente de novo em um minuto.',
  key_paused: 'Esta key está pausada. Peça ao autor do script para reativar.',
  not_in_plan: 'O plano desta key não inclui este script.',
  quota_spent: 'As execuções desta key acabaram por enquanto. Tente mais tarde.',
  key_not_started: 'Esta key ainda não está ativa. Tente mais tarde.',
  network_locked: 'Esta key foi obtida em outra rede. Use lá primeiro ou desbloqueie na página da sua key.',

  link_get_key: 'Pegar uma key',
  link_own_page: 'Sua key',
  link_support: 'Ajuda',
}
