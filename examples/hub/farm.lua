print("The farm grows for " .. (ward and ward.note or "guest") .. ".")
