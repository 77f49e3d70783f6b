# cmake -DINPUT=files -DOUTPUT=header -DNAME=variable -P embed.cmake: the files' text, one after another, as a C++ string
# constant.
set(text "")
foreach(file IN LISTS INPUT)
  file(READ "${file}" one)
  string(APPEND text "${one}\n")
endforeach()
string(LENGTH "${text}" length)
set(pieces "")
# Compilers bound the length of one literal; adjacent ones are joined.
set(position 0)
while(position LESS length)
  string(SUBSTRING "${text}" ${position} 8000 piece)
  string(APPEND pieces "R\"__embed__(${piece})__embed__\"\n")
  math(EXPR position "${position} + 8000")
endwhile()
file(WRITE "${OUTPUT}" "// Generated from ${NAME}'s source file.\n#pragma once\n\nnamespace warptune::tuner {\n\ninline constexpr char ${NAME}[] =\n${pieces};\n\n}  // namespace warptune::tuner\n")
