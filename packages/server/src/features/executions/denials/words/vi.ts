import type { DenialWords } from './en.ts'

export const vi: DenialWords = {
  rate_limited: 'Bạn đã thử quá nhiều lần. Thử lại sau {wait}.',
  wrong_keys: 'Có quá nhiều key sai được nhập từ mạng của bạn. Kiểm tra script_key rồi thử lại sau {wait}.',
  outdated_loader: 'Loader này đã cũ. Lấy bản mới ở nơi bạn lấy script.',
  script_not_found: 'Script này không còn nữa. Hãy xin tác giả loader mới.',
  script_disabled: 'Script này đang tạm tắt. Thử lại sau nhé.',
  service_unavailable: 'Script này hiện chưa dùng được. Thử lại sau nhé.',
  invalid_key: 'Key này không hợp lệ với script này. Kiểm tra script_key.',
  no_key: 'Chưa có key. Thêm script_key = "key của bạn" phía trên loader, hoặc đặt biến SCRIPT_KEY.',
  typo: 'Key này bị gõ sai. Kiểm tra script_key.',
  key_expired: 'Key này đã hết hạn từ {ago} trước. Gia hạn hoặc lấy key mới.',
  blacklisted: 'Key hoặc thiết bị này đã bị chặn.',
  blacklist_reason: 'Lý do: {reason}.',
  blacklist_end: 'Sẽ hết chặn sau {wait}.',
  executor_not_allowed: 'Script này không hỗ trợ executor của bạn ({executor}). Hãy dùng executor khác.',
  fingerprint_mismatch: 'Key này đã gắn với thiết bị khác.',
  reset_now: 'Reset thiết bị ở trang key của bạn rồi chạy lại script.',
  reset_later: 'Bạn có thể reset thiết bị sau {wait} ở trang key của bạn.',
  reset_by_author: 'Hãy nhờ tác giả script reset thiết bị.',
  fingerprint_missing:
    'Executor của bạn ({executor}) không có hàm gethwid hoạt động nên không nhận ra được thiết bị. Dùng executor khác hoặc nhờ tác giả giúp.',
  fingerprint_unreadable:
    'Không nhận ra được thiết bị: io.open và io.popen không đọc được ID của nó. Chạy script ở nơi cả hai đều hoạt động hoặc nhờ tác giả giúp.',
  fingerprint_ambiguous:
    'Executor của bạn gửi nhiều hơn một ID thiết bị. Tắt mọi thứ làm thay đổi yêu cầu của nó, hoặc dùng executor khác.',
  max_executions: 'Key này đã hết lượt chạy. Hãy xin tác giả script thêm lượt.',
  max_instances:
    'Key này đang chạy đủ số lượt tối đa ({max}). Tắt bớt một lượt ngay tại đó hoặc ở trang key của bạn.',
  sessions_required:
    'Script này cần WebSocket nhưng executor của bạn ({executor}) không có WebSocket.connect. Hãy dùng executor có hỗ trợ.',
  chat_required: 'Hãy liên kết tài khoản Discord với key này trước.',
  join_required: 'Hãy tham gia server Discord của script này trước.',
  link_and_join: 'Hãy liên kết tài khoản Discord với key này và tham gia server Discord của script trước.',
  join_unknown:
    'Hiện không kết nối được với Discord nên chưa kiểm tra được bạn có trong server của script này không. Thử lại sau một phút nhé.',
  key_paused: 'Key này đang tạm dừng. Hãy nhờ tác giả script cho chạy lại.',
  not_in_plan: 'Gói của key này không có script này.',
  quota_spent: 'Key này tạm hết lượt chạy. Thử lại sau nhé.',
  key_not_started: 'Key này chưa có hiệu lực. Thử lại sau nhé.',
  network_locked: 'Key này được lấy ở mạng khác. Dùng ở đó trước, hoặc mở khóa ở trang key của bạn.',

  link_get_key: 'Lấy key',
  link_own_page: 'Key của bạn',
  link_support: 'Trợ giúp',
}
