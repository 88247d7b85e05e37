/* SPDX-License-Identifier: MIT */
/* ge::AscendString, a string that libraries of another C++ standard library may be given. Header only. */
#ifndef GRAPH_ASCEND_STRING_H_
#define GRAPH_ASCEND_STRING_H_

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

namespace ge {

class AscendString {
public:
	AscendString() = default;
	/* NULL is the empty string */
	AscendString(const char *name) : text_(name ? std::make_shared<std::string>(name) : nullptr) {}
	AscendString(const char *name, size_t length)
		: text_(name ? std::make_shared<std::string>(name, length) : nullptr) {}

	/* Never NULL; valid as long as a copy of the string exists */
	const char *GetString() const { return text_ ? text_->c_str() : ""; }
	size_t GetLength() const { return text_ ? text_->size() : 0; }
	/* The first place of the other string, or (size_t)-1 */
	size_t Find(const AscendString &other) const
	{
		if (!text_ || !other.text_)
			return static_cast<size_t>(-1);
		return text_->find(*other.text_);
	}
	size_t Hash() const { return std::hash<std::string>()(Text()); }

	bool operator<(const AscendString &other) const { return Text() < other.Text(); }
	bool operator>(const AscendString &other) const { return Text() > other.Text(); }
	bool operator<=(const AscendString &other) const { return Text() <= other.Text(); }
	bool operator>=(const AscendString &other) const { return Text() >= other.Text(); }
	bool operator==(const AscendString &other) const { return Text() == other.Text(); }
	bool operator!=(const AscendString &other) const { return Text() != other.Text(); }

private:
	std::string Text() const { return text_ ? *text_ : std::string(); }

	std::shared_ptr<std::string> text_;
};

} // namespace ge

namespace std {
template <> struct hash<ge::AscendString> {
	size_t operator()(const ge::AscendString &name) const { return name.Hash(); }
};
} // namespace std

#endif /* GRAPH_ASCEND_STRING_H_ */
