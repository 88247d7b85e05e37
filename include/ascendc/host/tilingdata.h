/* SPDX-License-Identifier: MIT */
/*
 * Structures of tiling data for the host: classes with set_NAME() and get_NAME() for each field, whose bytes are those of the structure
 * that the kernel sees (its fields in their order, each aligned to its own size).
 */
#ifndef ASCENDC_HOST_TILINGDATA_H
#define ASCENDC_HOST_TILINGDATA_H

#include <algorithm>

#include "types.h"

namespace optiling {

/** TilingDef - where the fields are in the object of the class that derives from it, and in the kernel's structure */
class TilingDef {
public:
	virtual ~TilingDef() = default;

	size_t GetDataSize() const { return round(end_, align_); }
	size_t align() const { return align_; }

	/** SaveToBuffer() - the kernel's structure; nothing if it does not fit */
	void SaveToBuffer(void *buffer, size_t capacity) const
	{
		if (GetDataSize() > capacity)
			return;
		memset(buffer, 0, GetDataSize());
		for (const Field &field : fields_) {
			const char *from = reinterpret_cast<const char *>(this) + field.from;
			char *to = static_cast<char *>(buffer) + field.to;

			if (field.nested)
				reinterpret_cast<const TilingDef *>(from)->SaveToBuffer(to, field.size);
			else
				memcpy(to, from, field.size);
		}
	}

	/** SetDataPtr() - where fields that are set from now on are written at once, beside what SaveToBuffer() writes */
	void SetDataPtr(void *buffer)
	{
		buffer_.at = static_cast<char *>(buffer);
		for (const Field &field : fields_) {
			if (field.nested)
				reinterpret_cast<TilingDef *>(reinterpret_cast<char *>(this) + field.from)->SetDataPtr(buffer_.at + field.to);
		}
	}

protected:
	/* A field has a new value. */
	void keep(const void *place, size_t size)
	{
		if (!buffer_.at)
			return;
		for (const Field &field : fields_) {
			if (field.from == static_cast<const char *>(place) - reinterpret_cast<const char *>(this))
				memcpy(buffer_.at + field.to, place, size);
		}
	}

	struct Field {
		ptrdiff_t from;
		size_t to, size;
		bool nested;
	};

	int field(const void *place, size_t size, size_t align)
	{
		return add(place, size, align, false);
	}

	int nested(const TilingDef *part)
	{
		return add(part, part->GetDataSize(), part->align(), true);
	}

private:
	static size_t round(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

	int add(const void *place, size_t size, size_t align, bool is_nested)
	{
		size_t to = round(end_, align);

		fields_.push_back({static_cast<const char *>(place) - reinterpret_cast<const char *>(this), to, size, is_nested});
		end_ = to + size;
		align_ = std::max(align_, align);
		return 0;
	}

	/* A copy of an object does not write where the object does. */
	struct Buffer {
		Buffer() = default;
		Buffer(const Buffer &) {}
		Buffer &operator=(const Buffer &) { return *this; }

		char *at = nullptr;
	};

	std::vector<Field> fields_;
	Buffer buffer_;
	size_t end_ = 0, align_ = 1;
};

} // namespace optiling

#define BEGIN_TILING_DATA_DEF(name)	class name : public ::optiling::TilingDef { public:
#define TILING_DATA_FIELD_DEF(type, name) \
	public: void set_##name(type value) { name##_ = value; keep(&name##_, sizeof(name##_)); } \
	type get_##name() const { return name##_; } \
	private: type name##_ = {}; \
	int name##_place_ = field(&name##_, sizeof(type), alignof(type)); public:
#define TILING_DATA_FIELD_DEF_ARR(type, count, name) \
	public: void set_##name(const type *values) { memcpy(name##_, values, sizeof(name##_)); keep(name##_, sizeof(name##_)); } \
	type *get_##name() { return name##_; } \
	const type *get_##name() const { return name##_; } \
	private: type name##_[count] = {}; \
	int name##_place_ = field(name##_, sizeof(name##_), alignof(type)); public:
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
	public: type name; \
	private: int name##_place_ = nested(&name); public:
#define END_TILING_DATA_DEF			};	/* some sources have no semicolon behind it */
#define REGISTER_TILING_DATA_CLASS(op, name)	static_assert(sizeof(name) != 0);

#endif
