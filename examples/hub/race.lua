print("The race begins for " .. (ward and ward.note or "guest") .. ".")
